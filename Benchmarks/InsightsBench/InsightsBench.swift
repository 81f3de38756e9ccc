// SPDX-License-Identifier: Apache-2.0

import Glibc
import KithCore
import KithInsights

/// Measures all metrics over a large account: a million followers with dates (3 % have left), two years of daily
/// counts and 100,000 posts; then the report of that.
@main
enum InsightsBench {
  private static let followers = 1_000_000
  private static let posts = 100_000
  /// 2026-11-24.
  private static let now = Instant.epoch + .days(20_781)

  static func main() {
    var total = Duration.zero
    func measure(_ name: String, _ body: () -> Void) {
      let time = ContinuousClock().measure(body)
      total += time
      print("  \(name)\(String(repeating: " ", count: max(1, 29 - name.utf8.count)))\(time)")
    }
    var random = SeededNumbers(state: 1)
    let memberships = (0..<followers).map { _ in membership(&random) }
    let counts = (0...730).map { Sample<Int>(at: now - .days(730 - $0), 940_000 + 80 * $0) }
    let history = ListingHistory(memberships, counts: counts)
    let (follows, back) = pairs(&random)
    let made = (0..<posts).map { _ in post(&random) }
    let time = now - .days(365)..<now + .microseconds(1)
    var insights = AccountInsights(of: InsightAccount(account(0), handle: "large.test"), at: now, in: time)
    insights.followerCounts = counts
    print("analytics of \(followers) followers and \(posts) posts")
    measure("growth") {
      insights.growth = GrowthCurve(history)
    }
    measure("flow, by day and by week") {
      insights.flows = AudienceFlow.flows(of: history, by: .week, in: time)
    }
    measure("cohorts") {
      insights.cohorts = Cohort.cohorts(of: history, by: .month)
    }
    measure("follow-back") { insights.followBack = FollowBackTimes(follows: follows, followers: back) }
    measure("forecast") {
      do throws(Forecast.Refusal) { insights.forecast = .success(try Forecast(of: counts, days: 90)) } catch {
        insights.forecast = .failure(error)
      }
    }
    measure("engagement and times") {
      guard let growth = insights.growth else { return }
      insights.engagement = Engagement(
        of: made.map { post in
          PostFigures(
            at: post.at, kinds: post.kinds, likes: post.interactions, reposts: 0, replies: 0, quotes: 0,
            followers: growth.count(at: post.at))
        })
    }
    measure("top") {
      insights.top.byFollowers = .byFollowers(
        back.mapValues { Int(($0?.microsecondsSinceEpoch ?? 0) % 10_000) }, most: 10)
    }
    measure("activity and audience") {
      insights.activity = Composition(
        of: memberships.lazy.map { $0.arrivedAt.map { AgeClass(of: $0, now: now) } })
    }
    measure("bots") {
      insights.bots = BotFindings((0..<100_000).map { (InsightAccount(account($0)), traits($0)) }, now: now)
    }
    measure("blocks") {
      insights.blocks = BlockTimeline(
        own: ListingHistory(), blockers: .losses, audience: history, by: .week, clock: .utc, in: time)
    }
    print("  all of them                  \(total) (wanted: 3 s)")
    var (bytes, figures) = (0, 0)
    let start = ContinuousClock.now
    figures = insights.figures.count
    bytes = insights.report.html().utf8.count
    print(
      "  report, \(figures) figures       \(ContinuousClock.now - start), \(bytes / 1_000) KB (wanted: 2 MB)")
    print("  peak memory                  \(peak() / 1_000_000) MB (wanted: 500 MB)")
    if total > .seconds(3) || bytes > 2_000_000 || peak() > 500_000_000 { exit(1) }
  }

  private static func peak() -> Int {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss * 1_024
  }

  // MARK: Data

  /// An account that came in the last three years; of those that came in time for a snapshot some have left.
  private static func membership(_ random: inout SeededNumbers) -> Membership {
    let came = now - span(of: 1_095, &random)
    let first = now - .days(730)
    let arrival =
      came < first
      ? Membership.TimeBounds(after: nil, by: first)
      : Membership.TimeBounds(after: dayOf(came), by: dayOf(came) + .days(1))
    guard Int.random(in: 0..<100, using: &random) < 3, arrival.by < now - .days(2) else {
      return Membership(arrival: arrival, claimed: came)
    }
    let left = Instant(
      microsecondsSinceEpoch: Int64.random(
        in: (arrival.by + .days(1)).microsecondsSinceEpoch..<now.microsecondsSinceEpoch, using: &random))
    return Membership(arrival: arrival, departure: .init(after: left - .days(1), by: left), claimed: came)
  }

  private static func dayOf(_ moment: Instant) -> Instant {
    Instant(secondsSinceEpoch: moment.secondsSinceEpoch / 86_400 * 86_400)
  }

  /// A random time of at most this many days.
  private static func span(of days: Int64, _ random: inout SeededNumbers) -> Duration {
    .microseconds(Int64.random(in: 0..<days * 86_400_000_000, using: &random))
  }

  private static func pairs(_ random: inout SeededNumbers) -> ([DID: Instant?], [DID: Instant?]) {
    var (follows, back) = ([DID: Instant?](), [DID: Instant?]())
    for number in 0..<100_000 {
      let account = account(number)
      let since = now - span(of: 1_000, &random)
      back[account] = .some(since)
      if number.isMultiple(of: 5) { follows[account] = .some(since - .days(30)) }
    }
    return (follows, back)
  }

  private static func post(_ random: inout SeededNumbers) -> PostFigures {
    PostFigures(
      at: now - span(of: 730, &random),
      kinds: PostKinds.all[Int.random(in: 0..<6, using: &random)],
      likes: Int.random(in: 0..<9_000, using: &random), reposts: 0, replies: 0, quotes: 0, followers: nil)
  }

  private static func traits(_ number: Int) -> AccountTraits {
    var traits = AccountTraits()
    (traits.followers, traits.follows, traits.posts) = (number % 977, number % 4_001, number % 1_201)
    traits.createdAt = now - .days(number % 900)
    traits.lacksNames = number.isMultiple(of: 7)
    return traits
  }

  private static func account(_ number: Int) -> DID {
    let digits = Array("abcdefghijklmnopqrstuvwxyz234567")
    var (rest, text) = (number, "")
    for _ in 0..<24 {
      text = String(digits[rest % 32]) + text
      rest /= 32
    }
    guard let did = DID("did:plc:\(text)") else {
      preconditionFailure("invariant: 24 digits of base 32 are a did:plc")
    }
    return did
  }
}

/// SplitMix64: the same numbers in each run.
private struct SeededNumbers: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
