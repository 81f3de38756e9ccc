// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithWriting

@Suite struct FactLoaderTests {
  private let account = Accounts.did(0)
  private let follow = "app.bsky.graph.follow"
  private let block = "app.bsky.graph.block"

  private func pds(_ manner: PDSDouble.Manner = .reference, follows count: Int) -> PDSDouble {
    let pds = PDSDouble(account: account, manner)
    for number in 0..<count { pds.put(follow, "3k\(1_000 + number)", subject: Accounts.did(1_000 + number)) }
    return pds
  }

  /// An AppView that shows what the repository has, and a ghost if one is named.
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
            checkedAt: Datetime(at: 0), source: .appview))
      }
      return findings
    }
  }

  private func loader(
    _ pds: PDSDouble, _ transport: ScriptedTransport, _ source: ScriptedSource
  ) throws -> FactLoader {
    let client = try pds.client(transport)
    return FactLoader(account: account, pds: client, appview: client, relationships: source)
  }

  @Test func readsOwnEdgesFromTheRepositoryAndNotesFromTheAppView() async throws {
    let pds = pds(follows: 150)
    pds.put(follow, "3again", subject: Accounts.did(1_000))
    pds.put(block, "3b", subject: Accounts.did(7))
    let transport = pds.transport
    let source = source(pds)
    let changes: [ChangeIntent] = [
      .unfollow(Accounts.did(1_000)), .block(Accounts.did(1_001)), .unblock(Accounts.did(7)),
    ]
    let known = try await loader(pds, transport, source).knowledge(for: changes)
    #expect(known[changes[0]].follows?.count == 2)
    #expect(known[changes[1]].follows?.count == 1)
    #expect(known[changes[1]].blocks?.isEmpty == true)
    #expect(known[changes[2]].blocks?.map(\.rkey.description) == ["3b"])
    #expect(source.asked.count == 1)
    #expect(known.relationships.count == 3)
    // Two full pages of follows, a page of blocks, and the empty page after each.
    #expect(transport.calls(of: "com.atproto.repo.listRecords") == 5)
  }

  /// Another app has followed hundreds of accounts a moment ago, and the AppView has not seen it (Q21).
  @Test(arguments: PDSDouble.Manner.allCases, [20, 300])
  func knowsWhatTheAppViewHasNotSeen(_ manner: PDSDouble.Manner, _ count: Int) async throws {
    let pds = pds(manner, follows: 700)
    let lagging = ScriptedSource { actor, targets in ScriptedSource.follows(actor, targets) { _ in false } }
    let changes = (0..<count).map { ChangeIntent.follow(Accounts.did(1_000 + $0)) }
    let known = try await loader(pds, pds.transport, lagging).knowledge(for: changes)
    #expect(changes.allSatisfy { known[$0].follows?.count == 1 })
    #expect(known.listedCollections == [.follow])
    // The number of all follows, not only of those that were asked about.
    #expect(known.edges[.follow].map { $0.count + $0.passedOver } == 700)
  }

  /// A second run reads nothing: one call says that the repository is the same.
  @Test func readsNothingWhileTheRepositoryIsTheSame() async throws {
    let pds = pds(follows: 700)
    let transport = pds.transport
    let loader = try loader(pds, transport, source(pds))
    let change = ChangeIntent.unfollow(Accounts.did(1_500))
    _ = try await loader.knowledge(for: [change])
    let pages = transport.calls(of: "com.atproto.repo.listRecords")
    let known = try await loader.knowledge(for: [change])
    #expect(known[change].follows?.count == 1 && known.edges[.follow].map { $0.count + $0.passedOver } == 700)
    #expect(transport.calls(of: "com.atproto.repo.listRecords") == pages)
    #expect(known.commit?.cid.description == pds.head.cid)
  }

  /// Own records, relationships and existence do not depend on each other.
  @Test func asksForIndependentFactsAtTheSameTime() async throws {
    let pds = pds(follows: 3)
    let turnstile = Turnstile(isOpen: false)
    let transport = ScriptedTransport(turnstile: turnstile) { try pds.answer($0) }
    let client = try pds.client(transport)
    let loader = FactLoader(account: account, pds: client, appview: client)
    let change = ChangeIntent.follow(Accounts.did(1))
    let facts = Task { try await loader.knowledge(for: [change], verifying: [Accounts.did(1)]) }
    await turnstile.untilArrived(3)
    #expect(
      Set(transport.requests.map { RequestQuery($0).method }) == [
        "com.atproto.sync.getLatestCommit", "app.bsky.graph.getRelationships", "app.bsky.actor.getProfiles",
      ])
    turnstile.open()
    _ = try await facts.value
  }

  @Test func findsAccountsThatDoNotExistAmongAnyNumber() async throws {
    let pds = pds(follows: 3)
    let appview = AppViewDouble(accounts: 60)
    let client = try pds.client(ScriptedTransport { appview.answer($0) })
    let loader = FactLoader(
      account: account, pds: try pds.client(), appview: client, identities: IdentityDirectory(client: client))
    let accounts = Accounts.dids(40..<80)
    let known = try await loader.knowledge(for: accounts.map(ChangeIntent.follow), verifying: Set(accounts))
    #expect(known.nonexistent == Set(Accounts.dids(60..<80)))
  }

  /// For accounts to be unfollowed, every record matters (Q16).
  @Test func findsAllRecordsOfAnAccount() async throws {
    let pds = pds(follows: 1_000)
    pds.put(follow, "3a", subject: Accounts.did(1_000))
    let changes =
      (0..<40).map { ChangeIntent.follow(Accounts.did($0 + 1)) } + [.unfollow(Accounts.did(1_000))]
    let known = try await loader(pds, pds.transport, source(pds)).knowledge(for: changes)
    #expect(known[changes[40]].follows?.count == 2)
    #expect(known.listedCollections == [.follow])
  }

  @Test func namesTheRecordsThatWereNotListed() async throws {
    let follow = try RecordWrite.create("3a")
    var block = follow
    block.collection = .block
    var known = PlanningFacts()
    #expect(known.unlisted(among: [follow, block]) == [follow.name, block.name])
    known.listedCollections = [.block]
    #expect(known.unlisted(among: [follow, block]) == [follow.name])
  }

  @Test func reportsHowManyRecordsWereRead() async throws {
    let pds = pds(follows: 250)
    for number in 0..<150 { pds.put(block, "3k\(1_000 + number)", subject: Accounts.did(number)) }
    let counts = PosixMutex<[Int]>([])
    let facts = try loader(pds, pds.transport, source(pds))
    _ = try await facts.knowledge(for: [.block(Accounts.did(1))]) { count in
      counts.withLock { $0.append(count) }
    }
    #expect(counts.withLock(\.self).max() == 400)
  }

  /// Nothing is dropped silently: the AppView, or its answer about one account, was unavailable.
  @Test func notesAccountsWithUnknownRelationships() async throws {
    let pds = pds(follows: 5)
    let (one, other) = (Accounts.did(1), Accounts.did(2))
    let changes: [ChangeIntent] = [.follow(one), .block(other)]
    let broken = ScriptedSource { _, _ in throw RelationshipError.clientNotConfigured }
    let silent = ScriptedSource { actor, targets in
      var findings = ScriptedSource.follows(actor, targets) { _ in false }
      findings[other] = .failed(.clientNotConfigured)
      return findings
    }
    let absent = ScriptedSource { _, targets in
      Dictionary(uniqueKeysWithValues: targets.map { ($0, .notFound) })
    }
    let planner = ChangePlanner(account: account, keys: TIDClock(clockID: 1) { 0 }, time: .system)
    let cases: [(ScriptedSource, Set<DID>)] = [(broken, [one, other]), (silent, [other]), (absent, [])]
    for (source, expected) in cases {
      let known = try await loader(pds, pds.transport, source).knowledge(for: changes)
      #expect(known.relationshipsNotLearned == expected)
      #expect(known.faults.isEmpty == expected.isEmpty)
      for (change, subject) in zip(changes, [one, other]) {
        let codes = planner.plan(change, knowing: known[change]).notes.map(\.code)
        #expect(codes == (expected.contains(subject) ? [ChangeNote.Code.relationshipNotLearned] : []))
      }
    }
  }

  /// With many accounts, the notes are not worth asking.
  @Test func writesNoNotesForManyAccounts() async throws {
    let pds = pds(follows: 5)
    let broken = ScriptedSource { _, _ in throw RelationshipError.clientNotConfigured }
    let changes = (1..<32).map { ChangeIntent.block(Accounts.did($0)) }
    let known = try await loader(pds, pds.transport, broken).knowledge(for: changes)
    #expect(known.relationshipsNotLearned.isEmpty && broken.asked.isEmpty)
  }

  @Test func knowsOwnRecordsIfTheAppViewDoesNotAnswer() async throws {
    let pds = pds(follows: 350)
    let broken = ScriptedSource { _, _ in throw RelationshipError.clientNotConfigured }
    let transport = pds.transport
    let change = ChangeIntent.follow(Accounts.did(1_000))
    let known = try await loader(pds, transport, broken).knowledge(for: [change])
    #expect(known[change].follows?.count == 1)
    #expect(known.faults.map(\.code) == [.clientNotConfigured])
  }

  @Test func asksTheAppViewOnlyAboutRelevantAccountsIfThereAreMany() async throws {
    let pds = pds(follows: 100)
    let source = source(pds, ghosts: [Accounts.did(5)])
    let changes =
      (0..<100).map { ChangeIntent.unfollow(Accounts.did(1_000 + $0)) } + [.unfollow(Accounts.did(5))]
    let known = try await loader(pds, pds.transport, source).knowledge(for: changes)
    #expect(source.asked == [[Accounts.did(5)]])
    #expect(known[changes[100]].relationship?.isFollowing == true)
    #expect(known[changes[100]].follows?.isEmpty == true)
  }

  @Test func failsIfTheOwnRecordsCannotBeRead() async throws {
    let pds = pds(follows: 1)
    pds.change { $0.answerToQuestions = TransportResponse(status: 502) }
    let facts = try loader(pds, pds.transport, source(PDSDouble()))
    await #expect { _ = try await facts.knowledge(for: [.unfollow(Accounts.did(1))]) } throws: {
      ($0 as? RepositoryError)?.code == .unavailable
    }
  }

  @Test func itsCostIsKnownBeforeItAsks() throws {
    let list = try ATURI(parsing: "at://\(account)/app.bsky.graph.list/3l")
    func cost(_ changes: [ChangeIntent]) -> FactCost { FactCost(of: changes, by: account) }
    let few = cost(Accounts.dids(1..<31).map(ChangeIntent.follow))
    #expect(few.collections == [.follow])
    #expect(few.relationshipCalls == 1 && few.relationshipCallsAreCertain)
    let many = cost(Accounts.dids(1..<32).map(ChangeIntent.follow))
    #expect(many.collections == [.follow] && many.relationshipCalls == 0)
    let blocks = cost([.block(Accounts.did(1)), .follow(Accounts.did(2)), .blockList(list)])
    #expect(blocks.collections == [.follow, .block, .listblock])
    #expect(blocks.relationshipCalls == 1)
    let mutes = cost(Accounts.dids(1..<27).map { .mute($0, .everything) } + [.unmuteList(list)])
    #expect(mutes.collections.isEmpty && mutes.relationshipCalls == 0)
    #expect(mutes.muteCalls == 2 && mutes.listMuteCalls == 1)
    let guests = cost(Accounts.dids(1..<32).map { .add($0, to: list) })
    #expect(guests.collections == [.list, .listitem])
    #expect(guests.relationshipCalls == 2 && !guests.relationshipCallsAreCertain)
    // With many accounts, those that turn out not to be followed are asked about.
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
    let known = try await loader(pds, pds.transport, source(pds)).knowledge(for: changes)
    #expect(known[changes[0]].mute == expected)
    #expect(known[changes[1]].mute == nil)
  }

  /// One bad profile costs one profile.
  @Test func readsTheMutesOfTheOthersBesideAProfileThatIsNotReadable() async throws {
    let pds = PDSDouble()
    let (other, bad) = (Accounts.did(1), Accounts.did(2))
    pds.change {
      $0.profiles = [other: #"{"did":"\#(other)","viewer":{"muted":true}}"#, bad: "null"]
    }
    let changes: [ChangeIntent] = [.unmute(other), .unmute(bad)]
    let known = try await loader(pds, pds.transport, source(pds)).knowledge(for: changes)
    #expect(known[changes[0]].mute == MuteState(direct: .scope(.everything)))
    #expect(known[changes[1]].mute == nil)
    #expect(known.faults.map(\.code) == [.invalidResponse])
  }

  @Test func asksWhetherListsAreMutedAndBlocked() async throws {
    let pds = PDSDouble()
    let list = try ATURI(parsing: "at://\(account)/app.bsky.graph.list/3l")
    pds.put("app.bsky.graph.listblock", "3x", subject: list)
    pds.change { $0.mutedLists = ["\(list)"] }
    let changes: [ChangeIntent] = [.muteList(list), .unblockList(list)]
    let known = try await loader(pds, pds.transport, source(pds)).knowledge(for: changes)
    #expect(known[changes[0]].listIsMuted == true)
    #expect(known[changes[1]].listBlocks?.map(\.rkey.description) == ["3x"])
  }

  /// Q6: servers report a block through a list with either URI.
  @Test func findsABlockedListByTheRecordThatBlocksIt() async throws {
    let pds = PDSDouble()
    let list = try ATURI(parsing: "at://\(Accounts.did(9))/app.bsky.graph.list/3l")
    for key in ["3x", "3y"] { pds.put("app.bsky.graph.listblock", key, subject: list) }
    pds.put("app.bsky.graph.listblock", "3z", subject: "\(list)z")
    let change = ChangeIntent.unblockList(try ATURI(parsing: "at://\(account)/app.bsky.graph.listblock/3y"))
    let known = try await loader(pds, pds.transport, source(pds)).knowledge(for: [change])
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
