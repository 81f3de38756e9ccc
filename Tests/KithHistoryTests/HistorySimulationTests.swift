// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithInsights
import TestSupport
import Testing

@testable import KithHistory
@testable import KithRelationships

/// Forty days of a history with everything that goes wrong, compared with what really happened.
@Suite struct HistorySimulationTests {
  @Test(arguments: [true, false], [1, 2] as [UInt64])
  func fortyDaysAgreeWithTheTruth(isFull: Bool, seed: UInt64) async throws {
    let simulation = try Simulation(seed: seed, isFull: isFull)
    for day in 0..<Simulation.days { try await simulation.pass(day) }
    try await simulation.expectTheListing()
    try await simulation.expectCauses()
    try await simulation.expectStatistics()
  }
}

/// A network that lives for some days, and a history of it.
private final class Simulation {
  static let days = 40
  private static let day: Int64 = 86_400_000_000
  /// 1 October 2025.
  private static let start: Instant = 1_759_276_800_000_000
  private static let gaps = [6, 7]
  private static let broken = 11
  private static let leftOut = 15
  private static let prune = 22
  private static let setBack = 27
  private static let emptied = 32

  private struct Event {
    enum Kind: Equatable {
      case gained, returned
      case lost(LossCause)
    }
    let day: Int
    let account: Int
    let kind: Kind
    var time: Instant { Simulation.start + Int64(day) * Simulation.day + Simulation.day / 2 }
  }

  private let double: FollowersDouble
  private let store = InMemoryHistoryStore()
  private let isFull: Bool
  private var random: SeededGenerator
  private var events: [Event] = []
  private var present = Set(1...200)
  private var counts: [Int] = []
  private var gone: [Int: LossCause] = [:]
  private var lastChange: [Int: Int] = [:]
  /// Accounts whose history was deleted while they were away.
  private var forgotten: Set<Int> = []
  private var next = 201

  init(seed: UInt64, isFull: Bool) throws {
    double = try FollowersDouble(1...200, wallAtZero: Self.start)
    random = SeededGenerator(seed: seed)
    self.isFull = isFull
  }

  // MARK: Days

  func pass(_ day: Int) async throws {
    if day == Self.prune { try await prune() }
    if day > 0 { happen(on: day) }
    counts.append(present.count)
    let evening = Duration.seconds(day * 86_400 + 72_000)
    double.clock.advance(by: evening - double.clock.now.offset)
    guard !Self.gaps.contains(day) else { return }
    let before = double.current
    spoil(day)
    let recorder = SnapshotRecorder(double.listings, store: store)
    try await recorder.takeSnapshots(of: FollowersDouble.actor, [.followers], .init(isFull: isFull)) {
      outcome in
      #expect((outcome.fault == nil) == (day != Self.broken))
    }
    double.setWall(wrongBy: .zero)
    double.change { $0 = before }
  }

  /// An account changes at most once in ten days, so that no change hides between two snapshots.
  private func mayChange(_ account: Int, on day: Int) -> Bool { day - (lastChange[account] ?? -99) > 10 }

  private func happen(on day: Int) {
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      change(next, on: day, .gained, to: .follows)
      next += 1
    }
    let losses: [(LossCause, FollowersDouble.Standing)] = [
      (.unfollowed, .unfollowed), (.unfollowed, .unfollowed), (.blockedBy, .blocks),
      (.deactivated, .deactivated),
      (.deleted, .deleted), (.suspended, .takenDown), (.blocking, .blockedByActor),
    ]
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      guard let account = present.sorted().filter({ mayChange($0, on: day) }).randomElement(using: &random),
        let (cause, standing) = losses.randomElement(using: &random)
      else { continue }
      change(account, on: day, .lost(cause), to: standing)
    }
    let back = gone.filter { $0.value != .deleted && mayChange($0.key, on: day) }.keys.sorted()
    if Int.random(in: 0..<2, using: &random) == 0, let account = back.randomElement(using: &random) {
      let isKnown = forgotten.remove(account) == nil
      change(account, on: day, isKnown ? .returned : .gained, to: .follows)
    }
  }

  private func change(_ account: Int, on day: Int, _ kind: Event.Kind, to standing: FollowersDouble.Standing)
  {
    events.append(Event(day: day, account: account, kind: kind))
    lastChange[account] = day
    if case .lost(let cause) = kind {
      gone[account] = cause
      present.remove(account)
    } else {
      gone[account] = nil
      present.insert(account)
    }
    double.set(account, to: standing)
  }

  private func spoil(_ day: Int) {
    switch day {
    case Self.broken: double.change { $0.failing = ["app.bsky.graph.getFollowers"] }
    case Self.leftOut:
      for account in present.sorted().prefix(present.count / 20) { double.set(account, to: .leftOut) }
    case Self.setBack: double.setWall(wrongBy: .days(-3))
    case Self.emptied:
      double.change { state in
        state.accounts = state.accounts.mapValues { $0 == .follows ? .forgotten : $0 }
        state.counted = 0
      }
    default: break
    }
  }

  private func prune() async throws {
    _ = await store.prune(before: Self.start + 12 * Self.day)
    for account in gone.keys where await store.intervals(of: .followers, about: Accounts.did(account)).isEmpty
    {
      forgotten.insert(account)
    }
  }

  // MARK: Truth

  func expectTheListing() async throws {
    let last = try #require(await store.snapshots(of: .followers).last)
    let edges = await store.edges(of: .followers, at: last.id, after: nil, most: .max)
    // An account that was blocked, or is back, is found by the next full snapshot.
    let late = Set(events.filter { isFull ? false : $0.day > Self.days - 9 }.map(\.account))
    let wanted = present.subtracting(late).map(Accounts.did)
    #expect(Set(edges.map(\.account)).subtracting(late.map(Accounts.did)) == Set(wanted))
    if isFull { #expect(last.counts.listed == present.count && last.counts.unconfirmed == 0) }
  }

  /// Each loss in the history happened, for that reason, and in the time that is named.
  func expectCauses() async throws {
    var found = 0
    let numbers = Dictionary(uniqueKeysWithValues: (1..<next).map { (Accounts.did($0), $0) })
    let wrong = try await snapshotsAroundTheWrongClock()
    for try await change in try await History(store).changes(of: FollowersDouble.actor) {
      guard let account = numbers[change.account], let cause = change.loss?.cause else { continue }
      found += 1
      let truths = events.filter { $0.account == account && $0.kind == .lost(cause) }
      #expect(!truths.isEmpty, "\(account) \(cause)")
      guard !wrong.contains(change.seen.id) else { continue }
      #expect(
        truths.contains { change.after <= $0.time && $0.time <= change.before },
        "\(account) \(cause) \(truths)")
    }
    // Those of the first days were deleted.
    let kept = events.filter { event in
      if case .lost = event.kind { return event.day > 12 && (isFull || event.day < Self.days - 8) }
      return false
    }
    #expect(found >= kept.count && kept.count > 15)
  }

  private func snapshotsAroundTheWrongClock() async throws -> Set<ObservationID> {
    let all = await store.snapshots(of: .followers)
    let index = try #require(
      zip(all, all.dropFirst()).enumerated().first { $1.1.startedAt < $1.0.startedAt }?.offset)
    // Until the next full snapshot, changes have been there since before it.
    let full =
      all[(index + 2)...].firstIndex { $0.extent == .full && $0.counts.unconfirmed == 0 } ?? all.count - 1
    return Set(all[(index + 1)...full].map(\.id))
  }

  private func history() async -> ListingHistory {
    let complete = await store.snapshots(of: .followers).filter { $0.state == .complete }
    let facts = complete.map { snapshot in
      var facts = SnapshotFacts(
        number: snapshot.id.number, from: snapshot.startedAt, to: snapshot.endedAt ?? snapshot.startedAt,
        listed: snapshot.counts.listed)
      (facts.isFull, facts.isDoubtful) = (snapshot.extent == .full, snapshot.note != nil)
      facts.hasUnconfirmed = snapshot.counts.unconfirmed > 0
      (facts.gained, facts.lost) = (snapshot.counts.gained, snapshot.counts.lost)
      return facts
    }
    var history = ListingHistory(SnapshotSeries(facts, now: double.client.time.instant))
    for interval in await store.intervals(of: .followers, after: nil, most: .max) {
      var stay = ListingHistory.Stay(
        first: .snapshot(interval.first.id.number), lostIn: interval.lostIn.map { .snapshot($0.id.number) })
      stay.isReturn = interval.isReturn
      history.add(stay)
    }
    return history
  }

  /// What is not marked is right, and enough is not marked.
  func expectStatistics() async throws {
    let history = await history()
    let flows = AudienceFlow.flows(of: history, by: .day)
    let coverages = flows.flatMap { flow in flow.parts.map { _ in flow.coverage } }
    // The first snapshot is of the evening of the first day, so that the next day is the first one that is enclosed.
    let first = 1
    #expect(coverages.count == Self.days - first)
    var day = first
    for flow in flows {
      let days = day..<day + flow.parts.count
      day = days.upperBound
      guard flow.coverage == .whole || flow.coverage == .interval, isFull || flow.coverage == .whole else {
        continue
      }
      let truths = events.filter { days.contains($0.day) }
      let lost = truths.count { if case .lost = $0.kind { true } else { false } }
      #expect(flow.losses?.count == lost && flow.arrivals == truths.count - lost, "days \(days)")
      #expect(flow.countAtStart == counts[days.lowerBound - 1], "days \(days)")
      if flow.parts.count == 1, flow.parts[0].unnamed == 0 {
        #expect(flow.parts[0].returned == truths.count { $0.kind == .returned }, "days \(days)")
      }
    }
    let trouble = Self.gaps + [Self.broken, Self.leftOut, Self.setBack, Self.emptied]
    #expect(trouble.allSatisfy { coverages[$0 - first] == .interval })
    // Each trouble blurs the days beside it.
    #expect(coverages.count { $0 == .whole } >= (isFull ? 22 : 3))
    // All in all nothing is lost: the sums are those of the snapshots.
    let lost = flows.reduce(0) { $0 + ($1.losses?.count ?? 0) }
    let net = flows.reduce(0) { $0 + ($1.arrivals ?? 0) } - lost
    #expect(200 + net == history.series.counts.last?.value)
    if isFull {
      #expect(net == present.count - 200)
      #expect(lost == events.count { if case .lost = $0.kind { true } else { false } })
    }
    expectCohorts(history)
  }

  /// The accounts that came in October and were there at its end; unknown, as some of them were deleted.
  private func expectCohorts(_ history: ListingHistory) {
    let cohorts = Cohort.cohorts(of: history, by: .month)
    guard let october = cohorts.first else { return }
    let came = Set(events.filter { $0.day < 31 && $0.kind == .gained && $0.account > 200 }.map(\.account))
    let lost = Set(events.filter { if case .lost = $0.kind { $0.day < 31 } else { false } }.map(\.account))
    if october.isPruned {
      #expect(october.retained.allSatisfy { $0 == nil })
    } else if isFull {
      #expect(
        october.size >= came.count && october.retained.first == october.size - came.intersection(lost).count)
    }
    #expect(!october.isOfSurvivors)
  }
}

extension HistoryListing {
  fileprivate static let followers = HistoryListing(.followers, of: FollowersDouble.actor)
}
