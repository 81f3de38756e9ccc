// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithWriting

/// What a writer does if it does not know whether a commit took effect, or what the current state is.
@Suite struct RelationshipWriterDoubtTests {
  private let other = Accounts.did(1)
  private let follow = "app.bsky.graph.follow"

  @Test(arguments: PDSDouble.Manner.allCases, [true, false])
  func asksWhetherACommitInDoubtTookEffect(manner: PDSDouble.Manner, hasHappened: Bool) async throws {
    let scene = try WriterScene(manner)
    let fault: PDSDouble.Fault =
      hasHappened ? .answerLost(.connectionLost) : .requestLost(.connectionLost)
    scene.pds.change { $0.faults = [fault] }
    #expect(try await scene.writer.follow(other).ending == .done)
    #expect(scene.keys(follow).count == 1)
    #expect(scene.pds.commits.count == 1)
  }

  @Test func retriesWhileTheServerCannotBeReached() async throws {
    let scene = try WriterScene()
    scene.pds.change { $0.faults = [.requestLost(.cannotConnect), .requestLost(.cannotConnect)] }
    #expect(try await scene.writer.follow(other).ending == .done)
    #expect(scene.clock.slept.count >= 2)
  }

  /// Patience runs out, the doubt stays; the next intent settles it, and writes under the same key.
  @Test(arguments: [true, false])
  func neverDuplicatesARecordInDoubt(hasHappened: Bool) async throws {
    let scene = try WriterScene(configuration: .init(patience: .seconds(5)))
    _ = try await scene.relationship(with: other)
    let fault: PDSDouble.Fault = hasHappened ? .answerLost(.timedOut) : .requestLost(.timedOut)
    let pds = scene.pds
    let isDead = PosixMutex(false)
    let dead = ScriptedTransport { request in
      if RequestQuery(request).method == "com.atproto.repo.getRecord", isDead.withLock({ $0 }) {
        throw TransportError(.timedOut, host: "pds.test")
      }
      return try pds.answer(request)
    }
    let time = scene.clock.timeSource()
    let client = try pds.client(dead, time)
    let source = ScriptedSource { actor, targets in ScriptedSource.follows(actor, targets) { _ in false } }
    let own = OwnRecords(of: scene.me, client: client)
    let writer = RelationshipWriter(
      repository: PDSRepository(account: scene.me, pds: client, records: own),
      facts: FactLoader(
        account: scene.me, pds: client, appview: client, relationships: source, records: own),
      relationships: scene.service, keys: TIDClock(clockID: 1) { time.instant },
      configuration: .init(patience: .seconds(5)), time: time)
    pds.change { $0.faults = [fault] }
    isDead.withLock { $0 = true }
    var changes = scene.service.changes.makeAsyncIterator()
    let failure = await ChangeFailure.thrown { try await writer.follow(other) }
    #expect(failure?.isInDoubt == true)
    guard case .changed(_, let shown)? = try await changes.next(),
      case .rolledBack? = try await changes.next()
    else {
      Issue.record("it was not rolled back")
      return
    }
    isDead.withLock { $0 = false }
    #expect(try await writer.follow(other).ending == .done)
    #expect(scene.keys(follow).map { "at://\(scene.me)/\($0)" } == [shown.following?.description])
  }

  /// The answer is lost, and then the server refuses to say: that does not refuse the lost commit.
  @Test(arguments: [400, 401, 502]) func keepsTheDoubtIfTheServerDoesNotAnswer(status: Int) async throws {
    let scene = try WriterScene()
    try await scene.writer.unfollow(other)
    scene.pds.change {
      $0.faults = [.answerLost(.connectionLost)]
      $0.answerToQuestions = .xrpcError(status, "InvalidRequest", "Could not find repo")
    }
    #expect(await ChangeFailure.thrown { try await scene.writer.follow(other) }?.isInDoubt == true)
    scene.pds.change { $0.answerToQuestions = nil }
    #expect(try await scene.writer.unfollow(other).ending == .done)
    #expect(scene.pds.commits.count == 2)
    #expect(scene.pds.records.isEmpty)
  }

  @Test func saysThatItCannotReadTheRepository() async throws {
    let scene = try WriterScene()
    scene.pds.change { $0.answerToQuestions = TransportResponse(status: 502) }
    guard
      case .failed(let error)? = await ChangeFailure.thrown(by: { try await scene.writer.unfollow(other) })
    else {
      Issue.record("it did not fail")
      return
    }
    #expect(error.code == .unavailable)
    #expect(scene.pds.commits.isEmpty)
  }

  /// Another device may have changed it.
  @Test func loadsAgainAfterAWhile() async throws {
    let scene = try WriterScene(configuration: .init(memory: .seconds(60)))
    try await scene.writer.follow(other)
    scene.pds.change { $0.records = [:] }
    #expect(try await scene.writer.follow(other).ending == .held)
    try await scene.clock.sleep(until: scene.clock.now.advanced(by: .seconds(61)), tolerance: nil)
    #expect(try await scene.writer.follow(other).ending == .done)
    #expect(scene.keys(follow).count == 1)
  }

  /// It was followed here long ago, and unfollowed elsewhere since.
  @Test func togglesByWhatIsShownNotByOldFacts() async throws {
    let scene = try WriterScene(configuration: .init(memory: .seconds(60)))
    try await scene.writer.follow(other)
    let record = try #require(scene.keys(follow).first)
    func later() async throws {
      try await scene.clock.sleep(until: scene.clock.now.advanced(by: .seconds(600)), tolerance: nil)
    }
    scene.shown.withLock { $0 = [other: record] }
    try await later()
    #expect(try await scene.relationship(with: other).isFollowing)
    scene.shown.withLock { $0 = [:] }
    scene.pds.change { $0.records = [:] }
    try await later()
    #expect(try await scene.relationship(with: other).isFollowing == false)
    #expect(try await scene.writer.toggleFollow(other).ending == .done)
    #expect(scene.keys(follow).count == 1)
  }

  /// What was read for another account does not make facts fresh.
  @Test func forgetsFactsThatAreOld() async throws {
    let scene = try WriterScene(configuration: .init(memory: .seconds(60)))
    try await scene.writer.unfollow(Accounts.did(2))
    func wait(_ seconds: Int) async throws {
      try await scene.clock.sleep(until: scene.clock.now.advanced(by: .seconds(seconds)), tolerance: nil)
    }
    try await wait(50)
    #expect(try await scene.writer.unfollow(other).ending == .held)
    scene.pds.put(follow, "3elsewhere", subject: other)
    try await wait(60)
    #expect(try await scene.writer.unfollow(other).ending == .done)
    #expect(scene.keys(follow).isEmpty)
  }
}
