// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships

/// Answers of an AppView that lags behind changes of this machine.
@Suite struct OwnChangesRelationshipSourceTests {
  private let me = Accounts.did(0)
  private let bob = Accounts.did(1)
  private let pds = PDSDouble()
  private static let made = "3jzfcijpj2z2a"
  private static let gone = "3jzfcijpj2z2b"

  private struct Changes: RecentChanges {
    var known: [DID: [DID: RecentEdges]]

    func accounts() async throws -> Set<DID> { Set(known.keys) }
    func edges(of account: DID, about others: [DID]) async throws -> [DID: RecentEdges] {
      (known[account] ?? [:]).filter { others.contains($0.key) }
    }
  }

  private func change(
    made: String? = nil, deleted: [String] = [], isInDoubt: Bool = false
  ) throws -> RecentEdges.Change {
    var change = RecentEdges.Change()
    for key in deleted { change.delete(try RecordKey(parsing: key), isInDoubt: isInDoubt) }
    if let made { change.make(try RecordKey(parsing: made), isInDoubt: isInDoubt) }
    return change
  }

  private func uri(_ collection: String, _ key: String, by owner: DID? = nil) -> ATURI? {
    ATURI("at://\(owner ?? me)/app.bsky.graph.\(collection)/\(key)")
  }

  /// What the AppView shows of Bob, to the account or, as `asker`, to him.
  private func ask(
    _ edges: RecentEdges, following: ATURI? = nil, blocking: ATURI? = nil, asBob: Bool = false,
    isDead: Bool = false
  ) async throws -> (finding: RelationshipFinding, calls: [String]) {
    let (actor, target) = asBob ? (bob, me) : (me, bob)
    let base = ScriptedSource { _, _ in
      let info = RelationshipInfo(
        actor: actor, target: target, following: asBob ? nil : following,
        followedBy: asBob ? following : nil, blocking: asBob ? nil : blocking,
        blockedBy: asBob ? blocking : nil, checkedAt: Datetime(at: 0), source: .appview)
      return [target: .known(info)]
    }
    if isDead { pds.change { $0.answerToQuestions = TransportResponse(status: 502) } }
    let transport = pds.transport
    let client = try pds.client(transport)
    let source = OwnChangesRelationshipSource(
      base, changes: Changes(known: [me: [bob: edges]]), time: client.time
    ) { _ in client }
    let findings = try await source.relationships(of: actor, with: [target])
    return (try #require(findings.first), transport.requests.map { RequestQuery($0).method })
  }

  @Test func answersThatAgreeCostNothing() async throws {
    let edges = RecentEdges(follow: try change(made: Self.made), block: try change(deleted: [Self.gone]))
    let (finding, calls) = try await ask(edges, following: uri("follow", Self.made))
    #expect(finding.info?.source == .appview)
    #expect(calls.isEmpty)
  }

  @Test func aFollowThatTheAppViewDoesNotShowYetIsReadInTheRepository() async throws {
    pds.put("app.bsky.graph.follow", Self.made, subject: bob)
    let (finding, calls) = try await ask(RecentEdges(follow: try change(made: Self.made)))
    #expect(finding.info?.following == uri("follow", Self.made))
    #expect(finding.info?.source == .repository)
    #expect(calls == ["com.atproto.repo.getRecord"])
  }

  @Test func anUnfollowThatTheAppViewDoesNotShowYetIsReadInTheRepository() async throws {
    let (finding, calls) = try await ask(
      RecentEdges(follow: try change(deleted: [Self.gone])), following: uri("follow", Self.gone))
    #expect(finding.info?.isFollowing == false)
    #expect(finding.info?.source == .repository)
    #expect(calls.count == 1)
  }

  @Test func blocksAreReadLikeFollows() async throws {
    pds.put("app.bsky.graph.block", Self.made, subject: bob)
    let block = RecentEdges(follow: try change(deleted: [Self.gone]), block: try change(made: Self.made))
    let (finding, _) = try await ask(block, following: uri("follow", Self.gone))
    #expect(finding.info?.blocking == uri("block", Self.made))
    #expect(finding.info?.isFollowing == false)
    let unblock = RecentEdges(block: try change(deleted: [Self.gone]))
    let (other, _) = try await ask(unblock, blocking: uri("block", Self.gone))
    #expect(other.info?.isBlocking == false)
    #expect(other.info?.source == .repository)
  }

  /// The account may be the target of the question.
  @Test func theOtherDirectionIsCorrectedToo() async throws {
    pds.put("app.bsky.graph.follow", Self.made, subject: bob)
    let (finding, _) = try await ask(RecentEdges(follow: try change(made: Self.made)), asBob: true)
    #expect(finding.info?.followedBy == uri("follow", Self.made))
    let (other, _) = try await ask(
      RecentEdges(follow: try change(deleted: [Self.gone])), following: uri("follow", Self.gone), asBob: true)
    #expect(other.info?.isFollowedBy == false)
  }

  /// Another device may have undone the change.
  @Test func theRepositoryOutweighsTheChange() async throws {
    let (finding, _) = try await ask(RecentEdges(follow: try change(made: Self.made)))
    #expect(finding.info?.isFollowing == false)
    #expect(finding.info?.source == .repository)
    pds.put("app.bsky.graph.follow", Self.gone, subject: bob)
    let (other, _) = try await ask(
      RecentEdges(follow: try change(deleted: [Self.gone])), following: uri("follow", Self.gone))
    #expect(other.info?.following == uri("follow", Self.gone))
  }

  /// The AppView still shows the record from before an unfollow and another follow.
  @Test func aNewRecordReplacesTheDeletedOneThatIsShown() async throws {
    pds.put("app.bsky.graph.follow", Self.made, subject: bob)
    let edges = RecentEdges(follow: try change(made: Self.made, deleted: [Self.gone]))
    let (finding, _) = try await ask(edges, following: uri("follow", Self.gone))
    #expect(finding.info?.following == uri("follow", Self.made))
  }

  @Test func theJournalDecidesIfTheRepositoryCannotBeRead() async throws {
    let (follow, _) = try await ask(RecentEdges(follow: try change(made: Self.made)), isDead: true)
    #expect(follow.info?.following == uri("follow", Self.made))
    #expect(follow.info?.source == .journal)
    let (unfollow, _) = try await ask(
      RecentEdges(follow: try change(deleted: [Self.gone])), following: uri("follow", Self.gone), isDead: true
    )
    #expect(unfollow.info?.isFollowing == false)
    #expect(unfollow.info?.source == .journal)
  }

  /// A record that the journal does not know may be that of another device.
  @Test func theAnswerStaysIfNeitherRepositoryNorJournalKnowTheRecord() async throws {
    let (finding, _) = try await ask(
      RecentEdges(follow: try change(deleted: [Self.gone])), following: uri("follow", Self.made), isDead: true
    )
    #expect(finding.info?.following == uri("follow", Self.made))
    #expect(finding.info?.source == .appview)
  }

  @Test func aChangeInDoubtIsDecidedByTheRepositoryAlone() async throws {
    let doubt = RecentEdges(follow: try change(made: Self.made, isInDoubt: true))
    let (finding, _) = try await ask(doubt)
    #expect(finding.info?.isFollowing == false)
    let (unknown, _) = try await ask(doubt, isDead: true)
    guard case .failed = unknown else {
      Issue.record("\(unknown)")
      return
    }
  }

  /// A list may stand in the place of a direct block (Q7).
  @Test func aBlockByAListIsNotADeletedBlock() async throws {
    let list = try #require(uri("list", Self.gone, by: Accounts.did(2)))
    let (finding, calls) = try await ask(
      RecentEdges(block: try change(deleted: [Self.gone])), blocking: list)
    #expect(finding.info?.blocking == list)
    #expect(calls.isEmpty)
  }

  @Test func theNumberOfReadsIsBounded() async throws {
    let others = Accounts.dids(1..<241)
    let edges = RecentEdges(follow: try change(made: Self.made))
    let known = Dictionary(others.map { ($0, edges) }) { first, _ in first }
    let transport = pds.transport
    let client = try pds.client(transport)
    let source = OwnChangesRelationshipSource(
      ScriptedSource { actor, targets in ScriptedSource.follows(actor, targets) { _ in false } },
      changes: Changes(known: [me: known]), time: client.time
    ) { _ in client }
    var sources: [RelationshipInfo.Source: Int] = [:]
    for batch in others.parts(of: 30) {
      for finding in try await source.relationships(of: me, with: batch) {
        sources[try #require(finding.info).source, default: 0] += 1
      }
    }
    #expect(transport.requests.count == OwnChangesRelationshipSource.mostReads)
    #expect(sources == [.repository: 100, .journal: 140])
  }

  @Test func aServerThatFailsIsNotAskedAgainForAWhile() async throws {
    let clock = ManualClock()
    pds.change { $0.answerToQuestions = TransportResponse(status: 502) }
    let others = Accounts.dids(1..<61)
    let known = Dictionary(
      others.map { ($0, RecentEdges(follow: (try? change(made: Self.made)) ?? .init())) }
    ) { first, _ in first }
    let transport = pds.transport
    let client = try pds.client(transport)
    let source = OwnChangesRelationshipSource(
      ScriptedSource { actor, targets in ScriptedSource.follows(actor, targets) { _ in false } },
      changes: Changes(known: [me: known]), time: clock.timeSource()
    ) { _ in client }
    for batch in others.parts(of: 30) {
      let findings = try await source.relationships(of: me, with: batch)
      #expect(findings.allSatisfy { $0.info?.source == .journal })
    }
    #expect(transport.requests.count == 1)
    clock.advance(by: .seconds(300))
    _ = try await source.relationships(of: me, with: Array(others.prefix(30)))
    #expect(transport.requests.count == 2)
  }
}

extension RelationshipFinding {
  fileprivate var info: RelationshipInfo? { if case .known(let info) = self { info } else { nil } }
}
