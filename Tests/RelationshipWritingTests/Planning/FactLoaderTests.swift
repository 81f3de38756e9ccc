// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import TestSupport
import Testing

@testable import RelationshipWriting
@testable import Relationships

@Suite struct FactLoaderTests {
  private let account = Accounts.did(0)
  private let follow = "app.bsky.graph.follow"
  private let block = "app.bsky.graph.block"

  private func pds(_ manner: PDSDouble.Manner = .reference, follows count: Int) -> PDSDouble {
    let pds = PDSDouble(account: account, manner)
    for number in 0..<count { pds.put(follow, "3k\(1_000 + number)", subject: Accounts.did(1_000 + number)) }
    return pds
  }

  /// An AppView that shows what the repository holds, and a ghost where one is named.
  private func source(_ pds: PDSDouble, ghosts: Set<DID> = []) -> ScriptedSource {
    let follow = follow
    return ScriptedSource { actor, targets in
      var findings: [DID: RelationshipFinding] = [:]
      for target in targets {
        let key = pds.records.first {
          $0.key.hasPrefix(follow) && $0.value["subject"] == .string("\(target)")
        }?.key
        let uri = key ?? (ghosts.contains(target) ? "\(follow)/3ghost" : nil)
        findings[target] = .known(
          RelationshipInfo(
            actor: actor, target: target, following: uri.flatMap { ATURI("at://\(actor)/\($0)") },
            checkedAt: Datetime(microsecondsSinceEpoch: 0), source: .appview))
      }
      return findings
    }
  }

  private func survey(
    _ pds: PDSDouble, _ transport: ScriptedTransport, _ source: ScriptedSource
  ) throws -> FactLoader {
    let client = try pds.client(transport)
    return FactLoader(account: account, pds: client, appview: client, relationships: source)
  }

  @Test func readsOwnEdgesFromTheRepositoryAndWhatIsSaidFromTheAppView() async throws {
    let pds = pds(follows: 150)
    pds.put(follow, "3again", subject: Accounts.did(1_000))
    pds.put(block, "3b", subject: Accounts.did(7))
    let transport = pds.transport
    let source = source(pds)
    let changes: [ChangeIntent] = [
      .unfollow(Accounts.did(1_000)), .block(Accounts.did(1_001)), .unblock(Accounts.did(7)),
    ]
    let known = try await survey(pds, transport, source).knowledge(for: changes)
    #expect(known[changes[0]].follows?.count == 2)
    #expect(known[changes[1]].follows?.count == 1)
    #expect(known[changes[1]].blocks?.isEmpty == true)
    #expect(known[changes[2]].blocks?.map(\.rkey.description) == ["3b"])
    #expect(source.asked.count == 1)
    #expect(known.relationships.count == 3)
    // Two full pages of follows, a page of blocks, and the empty page behind each.
    #expect(transport.calls(of: "com.atproto.repo.listRecords") == 5)
  }

  /// The newest page is what an AppView may not have seen; for the rest its word is taken, and proved.
  @Test func asksForAFewFollowsWithoutListingThousands() async throws {
    let pds = pds(follows: 1_000)
    let (oldest, newest, ghost, stranger) = (
      Accounts.did(1_000), Accounts.did(1_999), Accounts.did(8), Accounts.did(9)
    )
    let transport = pds.transport
    let changes = [oldest, newest, ghost, stranger].map(ChangeIntent.follow)
    let known = try await survey(pds, transport, source(pds, ghosts: [ghost])).knowledge(for: changes)
    #expect(changes.map { known[$0].follows?.count } == [1, 1, 0, 0])
    #expect(transport.calls(of: "com.atproto.repo.listRecords") == 1)
    #expect(transport.calls(of: "com.atproto.repo.getRecord") == 2)
  }

  /// Oldest first, the first page does not show what the AppView may have missed (Q21).
  @Test func listsAllWhereTheNewestDoNotComeFirst() async throws {
    let pds = pds(.arroba, follows: 350)
    let lagging = ScriptedSource { actor, targets in ScriptedSource.follows(actor, targets) { _ in false } }
    let transport = pds.transport
    let change = ChangeIntent.follow(Accounts.did(1_349))
    let known = try await survey(pds, transport, lagging).knowledge(for: [change])
    #expect(known[change].follows?.count == 1)
    #expect(transport.calls(of: "com.atproto.repo.listRecords") == 4)
  }

  @Test func listsAllWhereTheAppViewDoesNotTell() async throws {
    let pds = pds(follows: 350)
    let broken = ScriptedSource { _, _ in throw RelationshipError.clientNotConfigured }
    let transport = pds.transport
    let change = ChangeIntent.follow(Accounts.did(1_000))
    let known = try await survey(pds, transport, broken).knowledge(for: [change])
    #expect(known[change].follows?.count == 1)
    #expect(known.faults.map(\.code) == [.clientNotConfigured])
  }

  @Test func asksTheAppViewOnlyAboutWhomItMattersWhereTheyAreMany() async throws {
    let pds = pds(follows: 100)
    let source = source(pds, ghosts: [Accounts.did(5)])
    let changes =
      (0..<100).map { ChangeIntent.unfollow(Accounts.did(1_000 + $0)) } + [.unfollow(Accounts.did(5))]
    let known = try await survey(pds, pds.transport, source).knowledge(for: changes)
    #expect(source.asked == [[Accounts.did(5)]])
    #expect(known[changes[100]].relationship?.isFollowing == true)
    #expect(known[changes[100]].follows?.isEmpty == true)
  }

  @Test func failsWhenItsOwnRecordsCannotBeLearned() async throws {
    let pds = pds(follows: 1)
    pds.change { $0.answerToQuestions = TransportResponse(status: 502) }
    let survey = try survey(pds, pds.transport, source(PDSDouble()))
    await #expect { _ = try await survey.knowledge(for: [.unfollow(Accounts.did(1))]) } throws: {
      ($0 as? RepositoryError)?.code == .unavailable
    }
  }

  @Test func itsCostIsKnownBeforeItAsks() throws {
    let list = try ATURI(parsing: "at://\(account)/app.bsky.graph.list/3l")
    func cost(_ changes: [ChangeIntent]) -> FactCost { FactCost(of: changes, by: account) }
    let few = cost(Accounts.dids(1..<31).map(ChangeIntent.follow))
    #expect(few.collections == [.follow] && few.asksSingly)
    #expect(few.relationshipCalls == 1 && few.relationshipCallsAreCertain)
    let many = cost(Accounts.dids(1..<32).map(ChangeIntent.follow))
    #expect(!many.asksSingly && many.relationshipCalls == 0)
    let blocks = cost([.block(Accounts.did(1)), .follow(Accounts.did(2)), .blockList(list)])
    #expect(blocks.collections == [.follow, .block, .listblock] && !blocks.asksSingly)
    #expect(blocks.relationshipCalls == 1)
    let mutes = cost(Accounts.dids(1..<27).map { .mute($0, .everything) } + [.unmuteList(list)])
    #expect(mutes.collections.isEmpty && mutes.relationshipCalls == 0)
    #expect(mutes.muteCalls == 2 && mutes.listMuteCalls == 1)
    let guests = cost(Accounts.dids(1..<32).map { .list(.add($0, to: list)) })
    #expect(guests.collections == [.list, .listitem])
    #expect(guests.relationshipCalls == 2 && !guests.relationshipCallsAreCertain)
    // Those of many that turn out not to be followed are asked about.
    let unfollows = cost(Accounts.dids(1..<62).map(ChangeIntent.unfollow))
    #expect(unfollows.relationshipCalls == 3 && !unfollows.relationshipCallsAreCertain)
    #expect(cost([.unfollow(account)]).relationshipCalls == 0)
  }

  // MARK: Mutes

  /// Q9.
  @Test(
    arguments: [
      ("{}", nil), (#"{"muted":false}"#, MuteState(direct: .absent)),
      (#"{"muted":true}"#, MuteState(direct: .scope(.everything))),
      (#"{"muted":false,"mutedOnlyReposts":true}"#, MuteState(direct: .scope(.reposts))),
      (#"{"mutedOnlyQuoteposts":true}"#, MuteState(direct: .scope(.quotes))),
      (#"{"mutedOnlyQuoteposts":true,"mutedOnlyReposts":true}"#, MuteState(direct: .hidden)),
      (
        #"{"muted":true,"mutedByList":{"uri":"at://did:web:a.test/app.bsky.graph.list/3l"}}"#,
        MuteState(direct: .hidden, list: ATURI("at://did:web:a.test/app.bsky.graph.list/3l"))
      ),
    ] as [(String, MuteState?)])
  func readsHowAnAccountIsMuted(viewer: String, expected: MuteState?) async throws {
    let pds = PDSDouble()
    let other = Accounts.did(1)
    pds.change { $0.profiles[other] = #"{"did":"\#(other)","viewer":\#(viewer)}"# }
    let changes: [ChangeIntent] = [.mute(other, .reposts), .unmute(Accounts.did(2))]
    let known = try await survey(pds, pds.transport, source(pds)).knowledge(for: changes)
    #expect(known[changes[0]].mute == expected)
    #expect(known[changes[1]].mute == nil)
  }

  @Test func asksWhetherListsAreMutedAndBlocked() async throws {
    let pds = PDSDouble()
    let list = try ATURI(parsing: "at://\(account)/app.bsky.graph.list/3l")
    pds.put("app.bsky.graph.listblock", "3x", subject: list)
    pds.change { $0.mutedLists = ["\(list)"] }
    let changes: [ChangeIntent] = [.muteList(list), .unblockList(list)]
    let known = try await survey(pds, pds.transport, source(pds)).knowledge(for: changes)
    #expect(known[changes[0]].listIsMuted == true)
    #expect(known[changes[1]].listBlocks?.map(\.rkey.description) == ["3x"])
  }

  /// Q6: servers tell of a block by list by either address.
  @Test func findsABlockedListByTheRecordThatBlocksIt() async throws {
    let pds = PDSDouble()
    let list = try ATURI(parsing: "at://\(Accounts.did(9))/app.bsky.graph.list/3l")
    for key in ["3x", "3y"] { pds.put("app.bsky.graph.listblock", key, subject: list) }
    pds.put("app.bsky.graph.listblock", "3z", subject: "\(list)z")
    let change = ChangeIntent.unblockList(try ATURI(parsing: "at://\(account)/app.bsky.graph.listblock/3y"))
    let known = try await survey(pds, pds.transport, source(pds)).knowledge(for: [change])
    let planner = ChangePlanner(account: account, keys: TIDClock(clockID: 1) { 0 }, time: .system)
    guard case .write(let writes)? = planner.plan(change, knowing: known[change]).steps.first?.action else {
      Issue.record("nothing is written")
      return
    }
    #expect(writes.map(\.rkey.description) == ["3x", "3y"])
    let others = ChangeIntent.unblockList(
      try ATURI(parsing: "at://\(Accounts.did(3))/app.bsky.graph.listblock/3y"))
    #expect(planner.refusal(of: others)?.code == .notAList)
    #expect(
      planner.refusal(of: .blockList(try ATURI(parsing: "at://\(account)/app.bsky.graph.listblock/3y")))
        != nil)
  }
}
