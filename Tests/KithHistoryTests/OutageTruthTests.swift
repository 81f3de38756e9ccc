// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithHistory
@testable import KithRelationships

/// AppViews that lack follows, compared with what really happened.
@Suite struct OutageTruthTests {
  struct Case: Sendable, CustomTestStringConvertible {
    /// How many of a hundred follows the AppView lacks.
    let lacking: Int
    let outage: Outage
    /// Days between two snapshots.
    let gap: Int
    let hasCounts: Bool

    var testDescription: String { "\(lacking) % \(outage), \(gap) days, counts \(hasCounts)" }
  }

  enum Outage: String, Sendable, CaseIterable {
    case once, twice
    /// Two different parts of the follows.
    case twoDifferent
    /// Another AppView lacks them, twice.
    case otherAppView
  }

  static let cases = [8, 15, 40, 100].flatMap { lacking in
    Outage.allCases.flatMap { outage in
      [30, 120, 330].flatMap { gap in
        [true, false].map { Case(lacking: lacking, outage: outage, gap: gap, hasCounts: $0) }
      }
    }
  }

  /// No loss is false, and once the AppView is whole again, no true one is missing.
  @Test(arguments: CaseSample.of(cases, one: 11)) func lossesAreTheTruth(one: Case) async throws {
    let world = try OutageWorld(one)
    try await world.take()
    for number in 0..<(one.outage == .once ? 1 : 2) {
      world.pass(one.gap)
      world.forget(one.lacking, part: one.outage == .twoDifferent ? number : 0)
      try await world.take(at: one.outage == .otherAppView ? "https://other.test" : nil)
      try await world.expectNoFalseLoss()
      world.remember()
    }
    world.pass(one.gap)
    try await world.take()
    try await world.expectNoFalseLoss()
    try await world.expectEachLoss()
    // And from then on, each day.
    world.pass(1)
    try await world.take()
    try await world.expectNoFalseLoss()
    try await world.expectEachLoss()
  }
}

/// A network in which people come and leave, and an AppView may lack some of their follows.
private final class OutageWorld {
  private let double: FollowersDouble
  private let store = InMemoryHistoryStore()
  private var random = SeededGenerator(seed: 7)
  private var present = Set(1...300)
  private var left: [Int: LossCause] = [:]
  private var next = 301

  init(_ one: OutageTruthTests.Case) throws {
    double = try FollowersDouble(1...300)
    double.change { $0.hasCounts = one.hasCounts }
  }

  func take(at appview: String? = nil) async throws {
    let listings = try appview.map { try double.listings(at: $0) } ?? double.listings
    let recorder = SnapshotRecorder(listings, store: store)
    try await recorder.takeSnapshots(of: FollowersDouble.actor, [.followers], .init(isFull: true)) {
      #expect($0.fault == nil)
    }
  }

  /// One comes every other day, one in five days unfollows, and one in ten days is hidden for another reason.
  func pass(_ days: Int) {
    double.clock.advance(by: .seconds(days * 86_400))
    for _ in 0..<(days + 1) / 2 {
      double.set(next, to: .follows)
      present.insert(next)
      next += 1
    }
    let hidden: [(LossCause, FollowersDouble.Standing)] = [
      (.blockedBy, .blocks), (.deactivated, .deactivated), (.suspended, .takenDown), (.deleted, .deleted),
    ]
    for _ in 0..<(days + 4) / 5 { leave(.unfollowed, .unfollowed) }
    for number in 0..<days / 10 { leave(hidden[number % 4].0, hidden[number % 4].1) }
  }

  private func leave(_ cause: LossCause, _ standing: FollowersDouble.Standing) {
    guard let account = present.sorted().randomElement(using: &random) else { return }
    present.remove(account)
    left[account] = cause
    double.set(account, to: standing)
  }

  /// The AppView lacks a share of the follows; other parts are other follows.
  func forget(_ percent: Int, part: Int) {
    let all = present.sorted()
    let start = part * all.count / 2
    let turned = all[start...] + all[..<start]
    double.change { state in
      for account in turned.prefix((all.count * percent + 99) / 100) { state.accounts[account] = .forgotten }
    }
  }

  func remember() {
    double.change { state in
      for account in present { state.accounts[account] = .follows }
    }
  }

  private func losses() async throws -> [DID: LossCause] {
    let filter = HistoryFilter(kinds: [.lost, .returned])
    var found: [DID: LossCause] = [:]
    for try await change in try await History(store).changes(of: FollowersDouble.actor, filter) {
      #expect(change.kind == .lost, "no account returned")
      found[change.account] = change.loss?.cause
    }
    return found
  }

  func expectNoFalseLoss() async throws {
    let truth = Dictionary(uniqueKeysWithValues: left.map { (Accounts.did($0.key), $0.value) })
    for (account, cause) in try await losses() { #expect(truth[account] == cause, "\(account)") }
  }

  func expectEachLoss() async throws {
    let listing = HistoryListing(.followers, of: FollowersDouble.actor)
    // Who came and left between two snapshots was never seen.
    let seen = Set(await store.intervals(of: listing, after: nil, most: .max).map(\.edge.account))
    let wanted = left.keys.map(Accounts.did).filter(seen.contains)
    #expect(Set(try await losses().keys) == Set(wanted))
    let last = try #require(await store.snapshots(of: listing).last)
    #expect(last.counts.listed == present.count && last.counts.unconfirmed == 0 && last.counts.doubted == 0)
  }
}
