// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithWriting

/// Taps and jobs of one journal spend the points of one budget.
@Suite struct WriterBudgetTests {
  private let other = Accounts.did(1)
  private let follow = "app.bsky.graph.follow"
  private let start: Instant = 1_760_000_000_000_000

  private func budgetFailure(_ work: () async throws -> Void) async -> Datetime?? {
    guard case .budgetExhausted(let until)? = await ChangeFailure.thrown(by: work) else { return .none }
    return .some(until)
  }

  @Test func failsAtOnceWithoutPoints() async throws {
    let limit = WriteLimit(perHour: 3, perDay: 300, leave: 0)
    let scene = try WriterScene(configuration: .init(limit: limit))
    try await scene.writer.follow(Accounts.did(2))
    _ = try await scene.relationship(with: other)
    scene.clock.advance(by: .seconds(60))
    let before = scene.clock.now
    var changes = scene.service.changes.makeAsyncIterator()
    let until = await budgetFailure { try await scene.writer.follow(other) }
    let end = Datetime(at: start + 3_600_000_000 + 999)
    #expect(until == .some(end))
    #expect(scene.clock.now == before && scene.clock.slept.isEmpty)
    #expect(scene.pds.commits.count == 1)
    // What was shown is rolled back, with the reason.
    guard case .changed(_, let shown)? = try await changes.next(),
      case .rolledBack(_, let now, let reason)? = try await changes.next()
    else {
      Issue.record("it was not rolled back")
      return
    }
    #expect(shown.isFollowing && !now.isFollowing)
    #expect(reason == .budgetExhausted(until: end))
    #expect(try await !scene.relationship(with: other).isFollowing)
    // Nothing is left of it that would be sent later.
    #expect(try await scene.journal.summaries(of: scene.me).allSatisfy { $0.counts.left == 0 })
    scene.clock.advance(by: .seconds(3_600))
    #expect(try await scene.writer.follow(other).ending == .done)
    #expect(scene.keys(follow).count == 2)
  }

  @Test func saysThatItIsOverTheBudget() async throws {
    let scene = try WriterScene(configuration: .init(limit: WriteLimit(perHour: 2, perDay: 2, leave: 0)))
    let until = await budgetFailure { try await scene.writer.follow(other) }
    #expect(until == .some(nil))
    #expect(scene.pds.commits.isEmpty && scene.clock.slept.isEmpty)
  }

  /// A mute costs no points.
  @Test func mutesWithNoPointsLeft() async throws {
    let scene = try WriterScene(configuration: .init(limit: WriteLimit(perHour: 0, perDay: 0, leave: 0)))
    #expect(try await scene.writer.mute(other).ending == .done)
  }

  @Test func countsTapsAndJobsTogether() async throws {
    let limit = WriteLimit(perHour: 12, perDay: 300, leave: 0)
    let scene = try WriterScene(configuration: .init(limit: limit))
    #expect(try await scene.run(ChangeSamples.drafts(10..<12), within: limit) == .done)
    try await scene.writer.follow(Accounts.did(2))
    try await scene.writer.follow(Accounts.did(3))
    #expect(await budgetFailure { try await scene.writer.follow(other) } != .none)
    guard case .stopped(let stop) = try await scene.run(ChangeSamples.drafts(20..<21), within: limit) else {
      Issue.record("the job spent what taps had spent")
      return
    }
    #expect(stop.code == .budget)
    #expect(scene.keys(follow).count == 4)
  }

  /// A job leaves a fifth free by default, which taps may spend.
  @Test func tapsMaySpendWhatJobsLeave() async throws {
    let job = WriteLimit(perHour: 15, perDay: 300)
    let tap = WriteLimit(perHour: 15, perDay: 300, leave: 0)
    let scene = try WriterScene(configuration: .init(limit: tap))
    guard case .stopped(let stop) = try await scene.run(ChangeSamples.drafts(10..<20), within: job) else {
      Issue.record("the job left nothing")
      return
    }
    #expect(stop.code == .budget && scene.keys(follow).count == 4)
    #expect(try await scene.writer.follow(other).ending == .done)
    #expect(await budgetFailure { try await scene.writer.follow(Accounts.did(2)) } != .none)
    #expect(RelationshipWriter.Configuration().limit.leave == 0 && WriteLimit().leave > 0)
  }
}
