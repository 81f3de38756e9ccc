// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithInsights

/// The formulas of analytics, compared with numpy and scipy on random data that is the same in each run.
///
/// ``ObservedScheduleTests`` compares what is computed from a history.
@Suite(.serialized) struct InsightFormulaLongTests {
  private static let day: Int64 = 86_400_000_000
  /// 20 October 2024: the clocks of all zones change within a year.
  fileprivate static let start: Instant = 1_729_382_400_000_000

  private static let zones = ZonedCalendar.testedZones

  private static func clocks() throws -> [String: ZonedCalendar] { try ZonedCalendar.recomputed() }

  private static func clock(_ zone: String, of clocks: [String: ZonedCalendar]) throws -> ZonedCalendar {
    try #require(clocks[zone])
  }

  private static func did(_ number: Int) throws -> DID {
    // Base 8 digits, so that DIDs sort like their numbers.
    let digits = String(number + 0o10000, radix: 8).suffix(4)
    return try #require(
      DID("did:plc:" + String(repeating: "a", count: 20) + digits.map(String.init).joined()))
  }

  // MARK: Calendars

  private struct Moments: Encodable {
    let zone: String
    let moments: [Instant]
  }

  /// The changes of a clock between 2022 and 2027, by day.
  private static func changes(of clock: ZonedCalendar) -> [Instant] {
    let days = (0..<1_826).map { Instant.networkBegan + .days($0) }
    return zip(days, days.dropFirst()).compactMap { one, next in
      clock.secondsEast(at: one) != clock.secondsEast(at: next) ? one + .seconds(43_200) : nil
    }
  }

  @Test func calendarsMatchTheTimeZoneDatabase() throws {
    let clocks = try Self.clocks()
    var numbers = SeededNumbers(seed: 11)
    let inputs = try Self.zones.map { zone -> Moments in
      let changes = Self.changes(of: try Self.clock(zone, of: clocks))
      // Around each change of the clock, and at random times.
      let near = changes.flatMap { change in
        (-30...30).map {
          change + .seconds($0 * 3_600) + .microseconds(Int.random(in: -2...2, using: &numbers))
        }
      }
      let others = (0..<2_000).map { _ in
        Instant(Int64.random(in: 1_640_995_200_000_000..<1_798_761_600_000_000, using: &numbers))
      }
      return Moments(zone: zone, moments: near + others)
    }
    try Recomputation.expect("calendar", of: inputs, tolerance: 0) { input in
      let clock = try Self.clock(input.zone, of: clocks)
      var found: NamedFigures = [
        "hour": input.moments.numbers { clock.hour(at: $0) },
        "weekday": input.moments.numbers { clock.weekday(at: $0) },
      ]
      for unit in CalendarUnit.allCases {
        found[unit.rawValue] = input.moments.flatMap { moment -> [Double?] in
          let period = clock.period(unit, at: moment)
          #expect(period.contains(moment), "\(input.zone) \(unit) \(moment)")
          return [period.start, period.end].numbers { $0 }
        }
      }
      return found
    }
  }

  // MARK: Samples

  private struct Share: Encodable {
    let count: Int
    let size: Int
  }

  @Test func sharesHaveWilsonsInterval() throws {
    var numbers = SeededNumbers(seed: 12)
    var inputs = (1...12).flatMap { size in (0...size).map { Share(count: $0, size: size) } }
    for _ in 0..<400 {
      let size = Int.random(in: 1...5_000_000, using: &numbers)
      inputs.append(Share(count: Int.random(in: 0...size, using: &numbers), size: size))
    }
    try Recomputation.expect("share", of: inputs) {
      ["figures": Estimate.share($0.count, of: $0.size)?.numbers ?? []]
    }
  }

  private struct Figures: Encodable {
    let figures: [Double]
    var shares: [Double] = []
  }

  @Test func mediansAreBetweenOrderStatistics() throws {
    var numbers = SeededNumbers(seed: 13)
    // All small samples, some large ones, and those where the normal approximation begins.
    let sizes =
      Array(0...220) + Array(990...1_030)
      + (0..<120).map { _ in
        Int.random(in: 221...20_000, using: &numbers)
      }
    let inputs = sizes.map { size in
      Figures(figures: (0..<size).map { _ in Double.random(in: -5...5, using: &numbers) })
    }
    try Recomputation.expect("median", of: inputs) {
      ["figures": Estimate.median(of: $0.figures)?.numbers ?? []]
    }
  }

  @Test func quantilesAreOfTypeSeven() throws {
    var numbers = SeededNumbers(seed: 14)
    let inputs = (0..<300).map { _ in
      Figures(
        figures: (0..<Int.random(in: 1...80, using: &numbers)).map { _ in
          Double.random(in: 0...1e6, using: &numbers)
        }, shares: [0, 0.25, 0.5, 0.75, 1, Double.random(in: 0...1, using: &numbers)])
    }
    try Recomputation.expect("quantile", of: inputs) { input in
      let sorted = input.figures.sorted()
      return ["figures": input.shares.map { sorted.quantile($0) }]
    }
  }

  // MARK: Audiences

  private struct Edge: Encodable {
    let account: Int
    let moment: Instant?

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      try container.encode(account)
      try container.encode(moment)
    }
  }

  private struct Edges: Encodable {
    let follows: [Edge]
    let followers: [Edge]
  }

  @Test func followBackDelaysHaveQuartiles() throws {
    var numbers = SeededNumbers(seed: 18)
    func edges() -> [Edge] {
      (0..<300).filter { _ in Bool.random(using: &numbers) }.map { account in
        Edge(
          account: account,
          moment: Int.random(in: 0..<9, using: &numbers) == 0
            ? nil
            : Instant(1_700_000_000_000_000 + Int64.random(in: 0..<9_999 * Self.day / 100, using: &numbers)))
      }
    }
    let inputs = (0..<60).map { _ in Edges(follows: edges(), followers: edges()) }
    try Recomputation.expect("follow-back", of: inputs) { input in
      func moments(_ edges: [Edge]) throws -> [DID: Instant?] {
        try Dictionary(uniqueKeysWithValues: edges.map { (try Self.did($0.account), $0.moment) })
      }
      let times = FollowBackTimes(
        follows: try moments(input.follows), followers: try moments(input.followers))
      return [
        "counts": [times.count, times.waiting, times.followedFirst, times.undated].numbers { $0 },
        "quartiles": times.quartiles.map { [$0.lower, $0.median, $0.upper] } ?? [],
      ]
    }
  }

  private struct Values: Encodable { let values: [String?] }

  @Test func partsOfASampleHaveIntervals() throws {
    var numbers = SeededNumbers(seed: 19)
    let inputs = (0..<100).map { number in
      Values(
        values: (0..<number * 3).map { _ in
          let key = Int.random(in: 0..<8, using: &numbers)
          return key == 7 ? nil : "k\(key)"
        })
    }
    try Recomputation.expect("composition", of: inputs) { input in
      let found = Composition(of: input.values)
      return [
        "keys": found.parts.numbers { Int($0.key.dropFirst()) }, "counts": found.parts.numbers(\.count),
        "shares": found.parts.flatMap(\.share.numbers), "unknown": [Double(found.unknown)],
      ]
    }
  }

  private struct Accounts: Encodable {
    struct Row: Encodable {
      let name: String
      let counts: [Int]

      func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(name)
        for count in counts { try container.encode(count) }
      }
    }
    let followers: [Row]
    let interactions: [Row]
    let influence: [Row]
    let most: Int
  }

  @Test func theTopAccountsHaveTheHighestValues() throws {
    var numbers = SeededNumbers(seed: 20)
    func rows(_ counts: (inout SeededNumbers) -> [Int]) throws -> [Accounts.Row] {
      try (0..<Int.random(in: 0...400, using: &numbers)).map {
        Accounts.Row(name: try Self.did($0).description, counts: counts(&numbers))
      }
    }
    let inputs = try (0..<60).map { _ in
      Accounts(
        followers: try rows { [Int.random(in: 0...60, using: &$0)] },
        interactions: try rows { numbers in (0..<3).map { _ in Int.random(in: 0...4, using: &numbers) } },
        influence: try rows { numbers in
          let size = Int.random(in: 0...40, using: &numbers)
          return [Int.random(in: 0...size, using: &numbers), size]
        }, most: Int.random(in: 0...50, using: &numbers))
    }
    try Recomputation.expect("top", of: inputs) { input in
      func keyed<Value>(_ rows: [Accounts.Row], _ value: ([Int]) -> Value) throws -> [DID: Value] {
        try Dictionary(
          uniqueKeysWithValues: rows.map { (try #require(DID($0.name)), value($0.counts)) })
      }
      func numbers(_ top: TopAccounts) -> [Double?] {
        top.entries.numbers { Int($0.account.description.suffix(4), radix: 8) }
      }
      let followers = TopAccounts.byFollowers(try keyed(input.followers) { $0[0] }, most: input.most)
      let interactions = TopAccounts.byInteractions(
        try keyed(input.interactions) { counts in
          var done = Interactions()
          (done.likes, done.reposts, done.quotes) = (counts[0], counts[1], counts[2])
          return done
        }, most: input.most)
      let influence = TopAccounts.byInfluence(
        try keyed(input.influence) { (count: $0[0], asked: $0[1]) }, most: input.most)
      return [
        "followers": followers.entries.map(\.value), "followerNames": numbers(followers),
        "interactions": interactions.entries.map(\.value), "interactionNames": numbers(interactions),
        "influence": influence.entries.flatMap { $0.estimate?.numbers ?? [] },
        "influenceNames": numbers(influence),
      ]
    }
  }

  private struct Counts: Encodable {
    let counts: [[Int64]]
    var time: [Int64] = []
    var days = 0
    var paths = 0

    var counted: [Sample<Int>] { counts.map { Sample<Int>(at: Instant($0[0]), Int($0[1])) } }
  }

  @Test func trendsCompareWithTheStartAndThePeriodBefore() throws {
    var numbers = SeededNumbers(seed: 21)
    let inputs = (0..<400).map { _ in
      let moments = Set(
        (0..<Int.random(in: 0...40, using: &numbers)).map { _ in
          Int64.random(in: 0...400, using: &numbers) * Self.day / 4
        })
      let start = Int64.random(in: 0...400, using: &numbers) * Self.day / 4
      return Counts(
        counts: moments.sorted().map { [$0, Int64.random(in: 0...999, using: &numbers)] }.shuffled(
          using: &numbers),
        time: [start, start + Int64.random(in: 1...120, using: &numbers) * Self.day / 4])
    }
    try Recomputation.expect("trend", of: inputs) { input in
      let trend = Trend(of: input.counted, in: Instant(input.time[0])..<Instant(input.time[1]))
      return [
        "figures": trend.map { trend in
          [trend.value, trend.change].numbers { $0 } + [trend.since].numbers { $0 }
            + [trend.changeBefore].numbers { $0 }
        } ?? []
      ]
    }
  }

  // MARK: Posts

  private struct Post: Encodable {
    let at: Instant
    let kinds: UInt8
    let counts: [Int]
    let followers: Int?

    var figures: PostFigures {
      PostFigures(
        at: at, kinds: PostKinds(rawValue: kinds), likes: counts[0], reposts: counts[1], replies: counts[2],
        quotes: counts[3], followers: followers)
    }
  }

  private struct Posts: Encodable {
    let posts: [Post]
    let zone: String
  }

  @Test func engagementIsTheMedianOfItsGroup() throws {
    let clocks = try Self.clocks()
    var numbers = SeededNumbers(seed: 22)
    let inputs = Self.zones.flatMap { zone in
      [0, 9, 10, 400, 3_000].map { size in
        Posts(
          posts: (0..<size).map { _ in
            let moment =
              Self.start + .microseconds(Int64.random(in: 0..<Self.day * 600, using: &numbers))
            // Some hours do better, so that some groups differ clearly.
            let most = moment.secondsSinceEpoch / 3_600 % 24 < 4 ? 90 : 30
            return Post(
              at: moment, kinds: UInt8.random(in: 0..<64, using: &numbers),
              counts: (0..<4).map { _ in Int.random(in: -1...most, using: &numbers) },
              followers: Int.random(in: 0..<20, using: &numbers) == 0
                ? nil : Int.random(in: 0...5_000, using: &numbers))
          }, zone: zone)
      }
    }
    try Recomputation.expect("engagement", of: inputs) { input in
      let found = Engagement(of: input.posts.map(\.figures), clock: try Self.clock(input.zone, of: clocks))
      func keys<Key>(_ groups: [EngagementGroup<Key>], _ key: (Key) -> Int) -> [Double?] {
        groups.flatMap { group in
          let sense =
            switch group.comparison {
            case .better: 1
            case .worse: -1
            case .unclear: 0
            }
          return [key(group.key), group.posts, sense].numbers { $0 }
        }
      }
      func rates<Key>(_ groups: [EngagementGroup<Key>]) -> [Double?] {
        groups.flatMap { $0.rate?.numbers ?? [nil] }
      }
      return [
        "all": found.rate?.numbers ?? [], "kind": keys(found.byKind) { Int($0.rawValue) },
        "kind-rates": rates(found.byKind), "hour": keys(found.byHour) { $0 },
        "hour-rates": rates(found.byHour),
        "weekday": keys(found.byWeekday) { $0 }, "weekday-rates": rates(found.byWeekday),
        "week": keys(found.byHourOfWeek) { $0.weekday * 24 + $0.hour },
        "week-rates": rates(found.byHourOfWeek),
      ]
    }
  }

  private struct Posters: Encodable {
    struct Account: Encodable {
      let posts: [Instant]
      let hasMore: Bool
    }
    let accounts: [Account]
    let now: Instant
    let zone: String

    /// Accounts most of which post in the evening.
    init(in zone: String, size: Int, _ numbers: inout SeededNumbers) {
      self.zone = zone
      let now = InsightFormulaLongTests.start + .seconds(Int64.random(in: 0..<86_400 * 400, using: &numbers))
      self.now = now
      accounts = (0..<size).map { _ in
        let most: Int64 = [2, 20, 600, 2_000].randomElement(using: &numbers) ?? 20
        let posts = (0..<Int.random(in: 0...20, using: &numbers)).map { _ in
          let hours = Int64.random(in: 0..<most, using: &numbers)
          return now - .seconds((Bool.random(using: &numbers) ? hours : hours / 24 * 24) * 3_600 + 9)
        }
        return Account(posts: posts, hasMore: Bool.random(using: &numbers))
      }
    }

    var times: [PostingTimes.Account] { accounts.map { PostingTimes.Account($0.posts, hasMore: $0.hasMore) } }
  }

  @Test func hoursOfAudiencesDifferBeyondChance() throws {
    let clocks = try Self.clocks()
    var numbers = SeededNumbers(seed: 26)
    let inputs = Self.zones.flatMap { zone in
      [0, 9, 12, 80, 900].map { Posters(in: zone, size: $0, &numbers) }
    }
    try Recomputation.expect("posting-times", of: inputs) { input in
      let found = PostingTimes(
        of: input.times, before: input.now, clock: try Self.clock(input.zone, of: clocks))
      func senses(_ parts: [PostingTimes.Part]) -> [Double?] {
        parts.map { $0.comparison == .more ? 1 : $0.comparison == .fewer ? -1 : 0 }
      }
      func shares(_ parts: [PostingTimes.Part]) -> [Double?] { parts.flatMap { $0.share?.numbers ?? [] } }
      return [
        "counts": [found.accounts, found.leftOut].numbers { $0 },
        "hours": shares(found.byHour), "hours-senses": senses(found.byHour),
        "weekdays": shares(found.byWeekday), "weekdays-senses": senses(found.byWeekday),
      ]
    }
  }

  // MARK: Forecasts

  /// Counts with a changing trend, missing days, and several counts on some days.
  private static func series(_ numbers: inout SeededNumbers) -> Counts {
    var (count, slope) = (Double.random(in: 2_000...90_000, using: &numbers), 0.0)
    var counts: [[Int64]] = []
    var day: Int64 = 20_000
    let isWeekly = Int.random(in: 0..<3, using: &numbers) == 0
    for _ in 0..<([12, 20, 28, 40, 75, 90, 140, 400, 800].randomElement(using: &numbers) ?? 28) {
      slope = slope * 0.97 + Double.random(in: -1...1.6, using: &numbers)
      count = max(0, count + slope * 5 + Double.random(in: -9...9, using: &numbers))
      let isMissing = Int.random(in: 0..<12, using: &numbers) == 0
      if !isMissing { counts.append([day * Self.day + 7, Int64(count.rounded())]) }
      if Int.random(in: 0..<20, using: &numbers) == 0 {
        counts.append([day * Self.day + 3, Int64.random(in: 0...9, using: &numbers)])
      }
      day += isWeekly ? Int64.random(in: 6...8, using: &numbers) : 1
      if Int.random(in: 0..<150, using: &numbers) == 0 {
        day += Int64.random(in: 2...6, using: &numbers)
      }
    }
    return Counts(counts: counts.shuffled(using: &numbers), days: 60, paths: 20_000)
  }

  /// Means, backtests and refusals are equal; deviations match 20,000 simulated futures within their
  /// standard error.
  @Test func forecastsFollowTheBookAndSpreadLikeSimulations() throws {
    var numbers = SeededNumbers(seed: 23)
    let inputs = (0..<60).map { _ in Self.series(&numbers) }
    let wanted = try Recomputation.figures("forecast", inputs)
    var known = 0
    for (input, wanted) in zip(inputs, wanted) {
      let test: Forecast.Backtest
      do throws(Forecast.Refusal) {
        let forecast = try Forecast(of: input.counted, days: input.days)
        test = forecast.backtest
        known += 1
        let expected = forecast.points.map { Optional($0.expected) }
        #expect(Recomputation.agree(expected, wanted["expected"] ?? [], 1e-9))
        #expect(
          Recomputation.agree(forecast.points.numbers(\.at), wanted["moments"] ?? [], 0))
        let z = (wanted["z"] ?? []).compactMap(\.self)
        let off = zip(forecast.points, wanted["deviations"] ?? []).filter { point, deviation in
          let deviation = deviation ?? .nan
          // Five standard errors of a simulated deviation: σ / √(2n).
          let error = 5 * deviation / (2 * Double(input.paths)).squareRoot()
          let eighty = (point.likely.upperBound - point.expected) / (z.first ?? .nan)
          let most = (point.possible.upperBound - point.expected) / (z.last ?? .nan)
          return !(abs(eighty - deviation) < error && abs(most - deviation) < error)
        }
        #expect(off.isEmpty && wanted["deviations"]?.count == forecast.points.count)
      } catch {
        #expect(wanted["expected"] == nil)
        switch error {
        case .tooShort(let days, let weeks):
          #expect(wanted["days"] == [Double(days), Double(weeks)])
          continue
        case .tooInaccurate(let backtest): test = backtest
        }
      }
      let figures = [
        test.meanError, test.meanErrorOfNoChange, test.meanCount, Double(test.daysAhead),
        Double(test.forecasts),
      ]
      #expect(Recomputation.agree(figures, wanted["backtest"] ?? [], 1e-9))
    }
    #expect(known > 5 && known < inputs.count, "\(known) of \(inputs.count)")
  }

  private struct Goal: Encodable {
    let goal: Int
    let start: Int
    let value: Int
    let moments: [Instant]
    let expected: [Double]
    let low: [Double]
    let high: [Double]
  }

  @Test func goalsAreReachedWhenTheForecastReachesThem() throws {
    var numbers = SeededNumbers(seed: 24)
    var (inputs, forecasts) = ([Goal](), [Forecast]())
    while inputs.count < 60 {
      guard let forecast = try? Forecast(of: Self.series(&numbers).counted, days: 90) else { continue }
      let last = Int(forecast.points.first?.expected ?? 0)
      forecasts.append(forecast)
      inputs.append(
        Goal(
          goal: last + Int.random(in: -200...1_500, using: &numbers),
          start: last - Int.random(in: -100...900, using: &numbers), value: last,
          moments: forecast.points.map(\.at), expected: forecast.points.map(\.expected),
          low: forecast.points.map(\.likely.lowerBound), high: forecast.points.map(\.likely.upperBound)))
    }
    var rest = forecasts[...]
    try Recomputation.expect("goal", of: inputs) { input in
      let forecast = rest.removeFirst()
      let goal = GoalProgress(
        input.goal, from: input.start, now: input.value, forecast: .success(forecast))
      return [
        "figures": [goal.share] + [goal.expected, goal.earliest, goal.latest].numbers { $0 }
      ]
    }
  }

  // MARK: Blocks

  private struct Blocks: Encodable {
    let blocks: [Instant]
    let zone: String
  }

  @Test func wavesAreDaysWithFarMoreBlocksThanUsual() throws {
    let clocks = try Self.clocks()
    var numbers = SeededNumbers(seed: 25)
    let inputs = (0..<180).map { number in
      var blocks = (0..<Int.random(in: 0...150, using: &numbers)).map { _ in
        Self.start + .microseconds(Int64.random(in: -30 * Self.day...300 * Self.day, using: &numbers))
      }
      for _ in 0..<Int.random(in: 0...4, using: &numbers) {
        let wave = Self.start + .days(Int64.random(in: 0...200, using: &numbers))
        blocks += (0..<40).map { _ in
          wave + .microseconds(Int64.random(in: 0...3 * Self.day, using: &numbers))
        }
      }
      return Blocks(blocks: blocks, zone: Self.zones[number % Self.zones.count])
    }
    try Recomputation.expect("waves", of: inputs) { input in
      let clock = try Self.clock(input.zone, of: clocks)
      return [
        "waves": BlockWave.waves(of: input.blocks, flows: [], clock: clock).flatMap { wave -> [Double?] in
          [
            Double(wave.time.lowerBound.microsecondsSinceEpoch),
            Double(wave.time.upperBound.microsecondsSinceEpoch), Double(wave.blocks), wave.usual,
          ]
        }
      ]
    }
  }
}
