// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithInsights
import KithOperations
import KithRelationships
import KithSandbox
import SandboxSupport
import TestSupport
import Testing

/// Statistics of an account whose owner looks at it daily, weekly, and after months, compared with what the network
/// showed at each of these times.
@Suite struct ObservedStatisticsTests {
  /// A user, and the followers that the AppView listed at each snapshot.
  private final class Watcher {
    let user: ServedUser
    private(set) var seen: [(at: Instant, followers: Set<DID>)] = []

    init(days: Int) async throws {
      user = try await ServedUser(
        nil, on: FaultyNetwork(.reference, accounts: 2_000, days: days, pace: .growth))
    }

    /// Lets days pass, and takes a snapshot, possibly with a wrong clock.
    func look(after days: Int, clockWrongBy shift: Duration = .zero) async throws {
      let network = user.network
      for _ in 0..<days { try await network.passDay() }
      let listing = ListAccounts(ListingQuery(.followers(of: .did(try user.did("alice")))))
      let listed = try await user.run(listing).rows.map(\.view.account)
      seen.append((at: network.time.instant, followers: Set(listed)))
      network.setClock(wrongBy: shift)
      let taken = try await user.takeSnapshots(sides: [.followers], dates: true).map(\.counts)
      network.setClock(wrongBy: .zero)
      #expect(taken.map { [$0.listed, $0.unconfirmed] } == [[listed.count, 0]])
    }

    /// What each snapshot but the first found: when, and how many came and left since the one before.
    var changes: [(after: Instant, by: Instant, came: Int, left: Int)] {
      zip(seen, seen.dropFirst()).map { before, after in
        (
          before.at, after.at, after.followers.subtracting(before.followers).count,
          before.followers.subtracting(after.followers).count
        )
      }
    }
  }

  private func flows(_ watcher: Watcher, by unit: CalendarUnit) async throws -> [Figure] {
    try await watcher.user.figures([.flow]) { request in
      (request.isStored, request.showsWholeGrowth, request.period) = (true, false, .whole)
      request.unit = unit
    }
  }

  /// Expects each loss in the row of its interval, and nothing in times that were not observed.
  private func expectTruth(_ flows: [Figure], of watcher: Watcher) {
    let lost = flows.filter { $0.key == "lost" }
    // What own blocks hide is not listed either, but not lost.
    func hidden(_ row: Figure) -> Double {
      flows.filter { $0.from == row.from && $0.to == row.to }.sum("hidden")
    }
    // A call takes some time.
    let slack = Duration.seconds(60)
    var wrong: [Figure] = []
    for row in lost {
      if let after = row.after, let before = row.before {
        let truths = watcher.changes.filter {
          (after...before).contains($0.after + slack) && (after...before).contains($0.by - slack)
        }
        let gone = row.value.map { $0 + hidden(row) }
        if gone != Double(truths.reduce(0) { $0 + $1.left }) { wrong.append(row) }
      } else if row.value != nil || row.note != "unobserved" {
        wrong.append(row)
      }
    }
    wrong += flows.filter { $0.key == "net" && $0.after == nil && $0.value != nil }
    #expect(wrong == [])
    let gone = lost.sum("lost") + flows.sum("hidden")
    #expect(gone == Double(watcher.changes.reduce(0) { $0 + $1.left }))
    let first = watcher.seen.first?.at ?? .distantPast
    let came = flows.filter { $0.from.map { $0 >= first } ?? false && $0.to.map { $0 > first } ?? false }
    #expect(
      ["gained", "returned", "gained-undated"].reduce(0) { $0 + came.sum($1) }
        <= Double(watcher.changes.reduce(0) { $0 + $1.came }))
  }

  private func span(_ row: Figure) -> Duration {
    row.from.flatMap { from in row.to.map { $0 - from } } ?? .days(100_000)
  }

  /// Daily and weekly snapshots, and gaps of one to eleven months.
  @Test func lossesAreInTheIntervalInWhichTheyWere() async throws {
    let watcher = try await Watcher(days: 460)
    for days in [0, 1, 1, 7, 30, 1, 60, 330, 1, 1] { try await watcher.look(after: days) }
    for unit in [CalendarUnit.day, .week, .month] {
      let flows = try await flows(watcher, by: unit)
      expectTruth(flows, of: watcher)
      // The longest gap is one row, whatever the unit is.
      let longest = flows.filter { $0.key == "lost" && span($0) > .days(300) }
      #expect(longest.map(\.note) == ["interval"] && longest.allSatisfy { $0.value ?? 0 > 20 }, "\(unit)")
    }
  }

  /// A snapshot whose clock was three days behind tells neither when it was taken nor what came before it.
  @Test func aClockThatWasSetBackJoinsTheIntervalsAroundIt() async throws {
    let watcher = try await Watcher(days: 30)
    for day in 0...9 {
      try await watcher.look(after: day == 0 ? 0 : 1, clockWrongBy: day == 5 ? .days(-3) : .zero)
    }
    let flows = try await flows(watcher, by: .day)
    expectTruth(flows, of: watcher)
    let joined = flows.filter { $0.key == "lost" && $0.note == "interval" }
    #expect(joined.map(span) == [.days(2)])
    #expect(flows.count { $0.key == "lost" && $0.note == nil } >= 6)
  }

  /// A user who looks once a week sees weeks, changes with their date, and a forecast.
  @Test func aWeeklyUserSeesWeeks() async throws {
    let watcher = try await Watcher(days: 120)
    for week in 0...16 { try await watcher.look(after: week == 0 ? 0 : 7) }
    let figures = try await watcher.user.figures([.flow, .cards, .forecast]) { $0.isStored = true }
    let weeks = figures.filter { $0.key == "lost" && $0.value != nil }
    #expect(weeks.count >= 4 && weeks.allSatisfy { span($0) <= .days(7) })
    // Four weeks and a day ago: the snapshot that is closest to thirty days.
    let since = try #require(figures.first { $0.key == "followers-change" }?.from)
    #expect(abs((since - watcher.seen[watcher.seen.count - 5].at) / .days(1)) < 0.1)
    // Whether it is exact enough or not: the counts are enough.
    let forecast = figures.filter { $0.metric == .forecast }
    #expect(!forecast.isEmpty && forecast.allSatisfy { $0.note != "too-short" })
  }
}
