// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithSandbox
@testable import SandboxSupport
@testable import kith

/// Statistics of an account whose owner looks at it daily, weekly, and after months, compared with what the network
/// showed at each of these times.
@Suite struct ObservedStatisticsCommandTests {
  private typealias Row = [String: String]

  /// A user, and the followers that the AppView listed at each snapshot.
  private final class Watcher {
    let user: InProcessUser
    private(set) var seen: [(at: Instant, followers: Set<String>)] = []

    init(days: Int) throws { user = try InProcessUser(accounts: 2_000, days: days, pace: .growth) }

    func rows(_ line: String) async throws -> [Row] {
      let ending = try await user.kith(line.split(separator: " ").map(String.init))
      #expect(ending.status == .success, "\(line): \(ending.talk)")
      return ending.rows
    }

    /// Lets days pass, and takes a snapshot, possibly with a wrong clock.
    func look(after days: Int, clockWrongBy shift: Duration = .zero) async throws {
      for _ in 0..<days {
        try await user.network.clock.sleep(for: .seconds(86_400))
        _ = try #require(user.network.live.passDay())
      }
      let listed = try await rows("followers alice.test")
      seen.append((at: user.network.time.instant, followers: Set(listed.compactMap { $0["did"] })))
      user.network.setClock(wrongBy: shift)
      let taken = try await rows("snapshot alice.test --side followers --full --dates")
      user.network.setClock(wrongBy: .zero)
      #expect(taken.first?["listed"] == "\(listed.count)" && taken.first?["unconfirmed"] == "0")
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

  /// A flow as the command prints it.
  private struct Flow {
    let key: String
    let value: Int?
    let note: String?
    let from: Instant
    let to: Instant
    let interval: ClosedRange<Instant>?

    init(_ row: Row) throws {
      func text(_ field: String) -> String? {
        row[field].flatMap { $0 == "null" ? nil : $0.trimmingCharacters(in: ["\""]) }
      }
      func moment(_ field: String) -> Instant? { text(field).flatMap { Datetime($0)?.instant } }
      key = try #require(text("key"))
      value = text("value").flatMap(Int.init)
      note = text("note")
      (from, to) = (try #require(moment("from")), try #require(moment("to")))
      interval = moment("after").flatMap { after in moment("before").map { after...$0 } }
    }
  }

  private func flows(_ watcher: Watcher, by unit: String) async throws -> [Flow] {
    try await watcher.rows("stats alice.test --stored --metric flow --range all --time-zone UTC --by \(unit)")
      .map(Flow.init)
  }

  /// Expects each loss in the row of its interval, and nothing in times that nobody saw.
  private func expectTruth(_ flows: [Flow], of watcher: Watcher) {
    let lost = flows.filter { $0.key == "lost" }
    // A call takes some time.
    let slack = Duration.seconds(60)
    for row in lost {
      guard let interval = row.interval else {
        #expect(row.value == nil && row.note == "unobserved")
        continue
      }
      let truths = watcher.changes.filter {
        interval.contains($0.after + slack) && interval.contains($0.by - slack)
      }
      #expect(row.value == truths.reduce(0) { $0 + $1.left }, "\(row)")
    }
    #expect(lost.reduce(0) { $0 + ($1.value ?? 0) } == watcher.changes.reduce(0) { $0 + $1.left })
    let first = watcher.seen.first?.at ?? .distantPast
    let came = flows.filter { ["gained", "returned", "gained-undated"].contains($0.key) && $0.to > first }
    #expect(
      came.filter { $0.from >= first }.reduce(0) { $0 + ($1.value ?? 0) }
        <= watcher.changes.reduce(0) { $0 + $1.came })
    for net in flows where net.key == "net" && net.interval == nil { #expect(net.value == nil) }
  }

  /// Daily and weekly snapshots, and gaps of one to eleven months.
  @Test func lossesAreInTheIntervalInWhichTheyWere() async throws {
    let watcher = try Watcher(days: 460)
    for days in [0, 1, 1, 7, 30, 1, 60, 330, 1, 1] { try await watcher.look(after: days) }
    for unit in ["day", "week", "month"] {
      let flows = try await flows(watcher, by: unit)
      expectTruth(flows, of: watcher)
      // The longest gap is one row, whatever the unit is.
      let longest = flows.filter { $0.key == "lost" && $0.to - $0.from > .days(300) }
      #expect(longest.map(\.note) == ["interval"] && longest.allSatisfy { $0.value ?? 0 > 20 })
    }
  }

  /// A snapshot whose clock was three days behind tells neither when it was taken nor what came before it.
  @Test func aClockThatWasSetBackJoinsTheIntervalsAroundIt() async throws {
    let watcher = try Watcher(days: 30)
    for day in 0...9 {
      try await watcher.look(after: day == 0 ? 0 : 1, clockWrongBy: day == 5 ? .days(-3) : .zero)
    }
    let flows = try await flows(watcher, by: "day")
    expectTruth(flows, of: watcher)
    let joined = flows.filter { $0.key == "lost" && $0.note == "interval" }
    #expect(joined.count == 1 && joined.allSatisfy { $0.to - $0.from == .days(2) })
    #expect(flows.count { $0.key == "lost" && $0.note == nil } >= 6)
  }

  /// Somebody who looks once a week sees weeks, changes with their date, and a forecast.
  @Test func aWeeklyUserSeesWeeks() async throws {
    let watcher = try Watcher(days: 120)
    for week in 0...16 { try await watcher.look(after: week == 0 ? 0 : 7) }
    let line = "stats alice.test --stored --time-zone UTC --metric flow --metric cards --metric forecast"
    let rows = try await watcher.rows(line)
    let flows = try rows.filter { $0["metric"] == "\"flow\"" }.map(Flow.init)
    let weeks = flows.filter { $0.key == "lost" && $0.value != nil }
    #expect(weeks.count >= 4 && weeks.allSatisfy { $0.to - $0.from <= .days(7) })
    // Four weeks and a day ago: the snapshot that is closest to thirty days.
    let change = try #require(rows.first { $0["key"] == "\"followers-change\"" })
    let since = try #require(change["from"].flatMap { Datetime($0.trimmingCharacters(in: ["\""])) }).instant
    #expect(abs((since - watcher.seen[watcher.seen.count - 5].at) / .days(1)) < 0.1)
    // Whether it is exact enough or not: the counts are enough.
    let forecast = rows.filter { $0["metric"] == "\"forecast\"" }
    #expect(!forecast.isEmpty && forecast.allSatisfy { $0["note"] != "\"too-short\"" })
  }
}
