// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithWriting

@Suite struct WriteBudgetTests {
  private let now: Instant = 1_800_000_000_000_000
  private let hour: Int64 = 3_600_000_000
  private let second: Int64 = 1_000_000

  private func budget(
    leave: Int = 20, _ spends: [WriteBudgetSpend] = [], _ readings: [WriteBudgetReading] = []
  ) -> WriteBudget {
    WriteBudget(limit: WriteLimit(leave: leave), spends: spends, readings: readings)
  }

  @Test func keepsAFifthFreeForNormalUse() {
    #expect(budget().left(at: now) == 4_000)
    #expect(budget(leave: 0).left(at: now) == 5_000)
    #expect(budget(leave: 100).left(at: now) == 50)
  }

  @Test func returnsPointsAfterAnHour() {
    let spent = budget([WriteBudgetSpend(at: now, points: 3_900)])
    #expect(spent.left(at: now) == 100)
    #expect(spent.left(at: now + hour - 1) == 100)
    #expect(spent.left(at: now + hour) == 4_000)
    #expect(spent.opening(for: 100, at: now) == now)
    #expect(spent.opening(for: 101, at: now) == now + hour)
    #expect(spent.opening(for: 4_001, at: now) == nil)
  }

  @Test func countsChangesWhateverTheyCost() {
    let limit = WriteLimit(leave: 0, changesPerHour: 10, changesPerDay: 15)
    let made = WriteBudget(
      limit: limit,
      spends: [
        WriteBudgetSpend(at: now - 2 * hour, points: 0, changes: 7),
        WriteBudgetSpend(at: now - hour / 2, points: 12, changes: 4),
      ])
    // The day has 15 - 11 left, the hour 10 - 4.
    #expect(made.changesLeft(at: now) == 4)
    #expect(made.opening(for: 12, changes: 4, at: now) == now)
    #expect(made.opening(for: 0, changes: 5, at: now) == now + 22 * hour)
    #expect(made.opening(for: 3, changes: 11, at: now) == nil)
    #expect(budget().changesLeft(at: now) == .max)
    #expect(made.end(of: 12, changes: 4, at: now) == now)
    #expect(made.end(of: 60, changes: 20, at: now) == now + 48 * hour)
    #expect(made.end(of: 12, changes: 5, at: now) == now + 24 * hour)
  }

  /// As many as a job may have, at the slowest pace: no loop over all of them.
  @Test func theEndOfAMillionChangesIsFoundAtOnce() {
    let slow = WriteBudget(limit: WriteLimit(leave: 0, changesPerDay: 1), spends: [])
    #expect(slow.end(of: 0, changes: 1_000_000, at: now) == now + 24 * hour * 999_999)
  }

  @Test func limitsTheDayAsWell() {
    let spends = (0..<7).map { WriteBudgetSpend(at: now - Int64($0 + 2) * hour, points: 4_000) }
    let spent = budget(spends)
    #expect(spent.left(at: now) == 0)
    #expect(spent.opening(for: 1, at: now) == now - 8 * hour + 24 * hour)
  }

  @Test func usesTheServersReadingWhichIncludesOtherApps() {
    let reading = WriteBudgetReading(
      window: .hour, limit: 5_000, remaining: 1_500, resetsAt: now + 600 * second, readAt: now)
    let told = budget(
      [WriteBudgetSpend(at: now - second, points: 600), WriteBudgetSpend(at: now + second, points: 300)],
      [reading])
    // The answer includes what was spent before it.
    #expect(told.left(at: now + 2 * second) == 1_500 - 1_000 - 300)
    #expect(told.opening(for: 600, at: now + 2 * second) == now + 600 * second)
    // The window is reset for what was spent before.
    #expect(told.left(at: now + 600 * second) == 4_000)
  }

  @Test func aLimitOfTheUserHoldsWhateverTheServerReports() {
    let limit = WriteLimit(perHour: 30, perDay: 50, leave: 0)
    let reading = WriteBudgetReading(
      window: .hour, limit: 5_000, remaining: 4_500, resetsAt: now + 600 * second, readAt: now)
    var bounded = WriteBudget(limit: limit, spends: [], readings: [reading])
    #expect(bounded.left(at: now + second) == 30)
    bounded.spend(21, at: now + second)
    #expect(bounded.left(at: now + 2 * second) == 9)
    // A reset of the server's window is none of the user's.
    #expect(bounded.left(at: now + 601 * second) == 9)
    #expect(bounded.opening(for: 10, at: now + 2 * second) == now + second + hour)
    #expect(bounded.left(at: now + second + hour) == 29)
    #expect(bounded.opening(for: 31, at: now) == nil)
  }

  /// Each of these would hold a job for ever, or for as long as a wrong clock was ahead.
  @Test func ignoresAReportThatCannotBeTrue() {
    let year = 365 * 24 * hour
    let reports = [
      WriteBudgetReading(window: .hour, limit: 2, remaining: 0, resetsAt: now + hour, readAt: now),
      WriteBudgetReading(window: .hour, limit: 0, remaining: 0, resetsAt: now + hour, readAt: now),
      // Of a clock that was ahead.
      WriteBudgetReading(
        window: .hour, limit: 5_000, remaining: 0, resetsAt: now + year + hour, readAt: now + year),
      WriteBudgetReading(window: .day, limit: 35_000, remaining: 0, resetsAt: now + 48 * hour, readAt: now),
    ]
    for report in reports {
      let told = budget([WriteBudgetSpend(at: now - second, points: 600)], [report])
      #expect(told.left(at: now) == 3_400, "\(report)")
      #expect(told.opening(for: 3_401, at: now) == now - second + hour, "\(report)")
    }
    // A reset that is past says nothing about what was spent since.
    let past = WriteBudgetReading(window: .hour, limit: 1_000, remaining: 0, resetsAt: now, readAt: now)
    #expect(budget([WriteBudgetSpend(at: now - second, points: 600)], [past]).left(at: now) == 200)
  }

  @Test func theUserMayOverrideWhatTheServerReports() {
    let report = WriteBudgetReading(
      window: .hour, limit: 5_000, remaining: 0, resetsAt: now + hour, readAt: now)
    var limit = WriteLimit(perHour: 300, perDay: 400, leave: 0)
    func left() -> Int {
      WriteBudget(
        limit: limit, spends: [WriteBudgetSpend(at: now - second, points: 60)], readings: [report]
      ).left(at: now)
    }
    #expect(left() == 0)
    limit.ignoresReports = true
    // The user's own limit holds.
    #expect(left() == 240)
  }

  @Test func theSmallerOfBothLimitsCounts() {
    let reading = WriteBudgetReading(
      window: .hour, limit: 100, remaining: 12, resetsAt: now + 600 * second, readAt: now)
    let bounded = WriteBudget(
      limit: WriteLimit(perHour: 5_000, perDay: 5_000, leave: 0), spends: [], readings: [reading])
    #expect(bounded.left(at: now) == 12)
    let open = WriteBudget(
      limit: WriteLimit(leave: 0), spends: [],
      readings: [
        WriteBudgetReading(
          window: .hour, limit: 9_000, remaining: 8_000, resetsAt: now + 600 * second, readAt: now)
      ])
    #expect(open.left(at: now) == 8_000)
  }

  @Test func ignoresALimitOfRequests() throws {
    var fields = HTTPFields()
    for (name, value) in [
      ("RateLimit-Limit", "3000"), ("RateLimit-Remaining", "2999"), ("RateLimit-Policy", "3000;w=300"),
      ("RateLimit-Reset", "\(now.secondsSinceEpoch + 300)"),
    ] {
      fields[try #require(HTTPField.Name(name))] = value
    }
    #expect(WriteBudgetReading(try #require(RateLimit(fields, at: now)), at: now) == nil)
    fields[try #require(HTTPField.Name("RateLimit-Policy"))] = "3000;w=3600"
    #expect(
      WriteBudgetReading(try #require(RateLimit(fields, at: now)), at: now)
        == WriteBudgetReading(
          window: .hour, limit: 3_000, remaining: 2_999, resetsAt: now + 300 * second, readAt: now))
  }

  /// Whatever a server reports ends up in the store: a number that overflows a sum would break every later
  /// run.
  @Test(arguments: ["999999999999999999", "1000000001"])
  func acceptsAnAbsurdLimit(limit: String) throws {
    var fields = HTTPFields()
    for (name, value) in [
      ("RateLimit-Limit", limit), ("RateLimit-Remaining", limit), ("RateLimit-Policy", "\(limit);w=3600"),
      ("RateLimit-Reset", "\(now.secondsSinceEpoch + 60)"),
    ] {
      fields[try #require(HTTPField.Name(name))] = value
    }
    let rateLimit = try #require(RateLimit(fields, at: now))
    let reading = try #require(WriteBudgetReading(rateLimit, at: now))
    #expect(reading.limit == WriteLimit.mostPoints && reading.remaining == WriteLimit.mostPoints)
    for leave in [0, 99] {
      // The day keeps its default limit.
      #expect(budget(leave: leave, [], [reading]).left(at: now) == 35_000 * (100 - leave) / 100)
    }
  }

  @Test func acceptsAnyLimit() {
    for (points, most) in [(Int.max, WriteLimit.mostPoints), (.min, 0)] {
      let allowance = WriteLimit(perHour: points, perDay: points, leave: 0)
      #expect(WriteBudget(limit: allowance, spends: []).left(at: now) == most)
      let reading = WriteBudgetReading(
        window: .hour, limit: points, remaining: points, resetsAt: now + hour, readAt: now)
      #expect(reading.limit == most && reading.remaining == most)
    }
  }

  @Test func predictsTheEnd() {
    #expect(budget().end(of: 0, at: now) == now)
    #expect(budget().end(of: 4_000, at: now) == now)
    #expect(budget().end(of: 4_001, at: now) == now + hour)
    // 28,000 a day: six hours after the first, and the rest a day later.
    #expect(budget().end(of: 28_000, at: now) == now + 6 * hour)
    #expect(budget().end(of: 28_003, at: now) == now + 24 * hour)
  }

  @Test func neverSpendsMoreThanIsAllowedInAnyWindow() throws {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<20 {
      let allowance = WriteLimit(
        perHour: 500, perDay: 2_000, leave: Int.random(in: 0..<50, using: &random))
      var budget = WriteBudget(limit: allowance, spends: [])
      var spends: [WriteBudgetSpend] = []
      var time = now
      for _ in 0..<60 {
        let intent = Int.random(in: 1...200, using: &random)
        guard let next = budget.opening(for: intent, at: time) else { continue }
        time = next + Int64.random(in: 0..<900, using: &random) * second
        budget.spend(intent, at: time)
        spends.append(WriteBudgetSpend(at: time, points: intent))
      }
      for window in WriteBudgetWindow.allCases {
        let most = try #require(allowance[window]) * (100 - allowance.leave) / 100
        for spend in spends {
          let sum = spends.filter { $0.at > spend.at - window.length && $0.at <= spend.at }
          #expect(sum.reduce(0) { $0 + $1.points } <= most)
        }
      }
    }
  }

  /// A budget that adds up everything each time.
  private struct SlowBudget {
    var limit: WriteLimit
    var spends: [WriteBudgetSpend]
    var readings: [WriteBudgetReading]

    private func spent(after start: Instant) -> Int {
      spends.filter { $0.at > start }.reduce(0) { $0 + $1.points }
    }

    func left(at now: Instant) -> Int {
      let all = WriteBudgetWindow.allCases.map { window -> Int in
        func free(_ whole: Int) -> Int { whole - (whole * limit.leave + 99) / 100 }
        let start = now - window.length
        let own = limit[window].map { free($0) - spent(after: start) } ?? .max
        let reading = readings.first { $0.window == window && $0.isPossible(at: now) }
        let whole = reading?.limit ?? limit[window] ?? window.usualLimit
        guard let reading, now < reading.resetsAt else {
          // A reset before the reading says nothing.
          let reset = reading.flatMap { $0.resetsAt > $0.readAt ? $0.resetsAt : nil }
          let since = max(start, reset ?? .distantPast)
          return min(own, free(whole) - spent(after: since))
        }
        let open = spends.filter { $0.isOpen && $0.at < reading.readAt }.reduce(0) { $0 + $1.points }
        let since = spent(after: reading.readAt - 1)
        return min(own, free(whole) - whole + min(reading.remaining, whole) - open - since)
      }
      return max(0, all.min() ?? 0)
    }

    func opening(for points: Int, at now: Instant) -> Instant? {
      var moments = [now] + readings.filter { $0.isPossible(at: now) }.map(\.resetsAt)
      for window in WriteBudgetWindow.allCases { moments += spends.map { $0.at + window.length } }
      return moments.filter { $0 >= now }.sorted().first { left(at: $0) >= points }
    }
  }

  @Test(arguments: UInt64(1)...60) func agreesWithAddingUpEverything(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let spends = (0..<Int.random(in: 0...60, using: &random)).map { _ in
      WriteBudgetSpend(
        at: now + Int64.random(in: -30 * hour...(seed.isMultiple(of: 4) ? 40 * hour : 0), using: &random),
        points: Int.random(in: 1...200, using: &random), isOpen: Int.random(in: 0..<9, using: &random) == 0)
    }
    let readings = WriteBudgetWindow.allCases.filter { _ in Bool.random(using: &random) }.map { window in
      WriteBudgetReading(
        window: window, limit: Int.random(in: 500...5_000, using: &random),
        remaining: Int.random(in: 0...5_000, using: &random),
        resetsAt: now + Int64.random(in: -hour...hour, using: &random),
        readAt: now - Int64.random(in: 0...hour, using: &random))
    }
    let limit = WriteLimit(
      perHour: Bool.random(using: &random) ? 900 : nil, perDay: Bool.random(using: &random) ? 4_000 : nil,
      leave: Int.random(in: 0...50, using: &random))
    let budget = WriteBudget(limit: limit, spends: spends, readings: readings)
    let slow = SlowBudget(limit: limit, spends: spends, readings: readings)
    for _ in 0..<40 {
      let moment = now + Int64.random(in: -2 * hour...30 * hour, using: &random)
      let points = Int.random(in: 0...5_000, using: &random)
      #expect(budget.left(at: moment) == slow.left(at: moment))
      #expect(budget.opening(for: points, at: moment) == slow.opening(for: points, at: moment))
    }
  }

  /// A day of single deletes, and a large server's limit.
  @Test func thousandsOfSpendsAreSearchedInLinearTime() {
    let growth = workGrowth(from: 1_000) { size in
      let spends = (0..<size).map { WriteBudgetSpend(at: now - Int64(size - $0) * 1_000, points: 1) }
      let budget = WriteBudget(limit: WriteLimit(perHour: size, perDay: size, leave: 0), spends: spends)
      #expect(budget.opening(for: size, at: now) == now - 1_000 + 24 * hour)
      #expect(budget.end(of: 3 * size, at: now) != nil)
    }
    #expect(growth < 8)
  }

  /// Each point waits for its own hour; no window ever has room for a full commit.
  @Test func predictsTheEndOfManyPointsWithATinyLimit() {
    let growth = workGrowth(from: 500) { size in
      let budget = WriteBudget(limit: WriteLimit(perHour: 2, leave: 0), spends: [])
      #expect(budget.end(of: size, at: now) == now + Int64((size + 1) / 2 - 1) * hour)
    }
    #expect(growth < 8)
  }

  /// A clock that was set back makes no room; a spend in the future counts from when that was noticed.
  @Test func aSpendInTheFutureCountsFromWhenThatWasNoticed() {
    #expect(budget([WriteBudgetSpend(at: now + 60 * second, points: 4_000)]).left(at: now) == 0)
    func moment(_ at: Instant, noticed: Instant?) -> Instant {
      WriteBudgetSpend.moment(of: at, noticed: noticed, at: now)
    }
    #expect(moment(now + 1_000 * hour, noticed: nil) == now)
    #expect(moment(now + 1_000 * hour, noticed: now - hour) == now - hour)
    // The clock was set back once more, or is right again.
    #expect(moment(now + 1_000 * hour, noticed: now + hour) == now)
    #expect(moment(now - hour, noticed: now - 48 * hour) == now - hour)
  }

  @Test func changesOfOtherKindsDoNotCountAndThoseOfUnknownKindsDo() throws {
    let (follow, like) = (ChangeKind.create(.follow), ChangeKind.create(EdgeKind.like.collection))
    let spends = [
      WriteBudgetSpend(at: now, points: 12, changes: 4, kinds: [follow: 3, like: 1]),
      WriteBudgetSpend(at: now, points: 27, changes: 9, kinds: [like: 9]),
      WriteBudgetSpend(at: now, points: 6, changes: 2),
    ]
    func left(_ kinds: Set<ChangeKind>?) -> Int {
      WriteBudget(limit: WriteLimit(changesPerDay: 20), spends: spends, counting: kinds).changesLeft(at: now)
    }
    #expect(left([follow]) == 15 && left([like]) == 8 && left([follow, like]) == 5 && left(nil) == 5)
    #expect(left([.delete(.follow)]) == 18)
  }
}
