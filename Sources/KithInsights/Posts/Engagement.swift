// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// The parts of a post.
public struct PostKinds: OptionSet, Sendable, Hashable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// It has no embeds.
  public static let text = PostKinds(rawValue: 1)
  public static let image = PostKinds(rawValue: 2)
  public static let video = PostKinds(rawValue: 4)
  /// A link card.
  public static let link = PostKinds(rawValue: 8)
  public static let quote = PostKinds(rawValue: 16)
  /// It is a reply, which fewer people see.
  public static let reply = PostKinds(rawValue: 32)

  /// All single kinds.
  public static let all: [PostKinds] = [.text, .image, .video, .link, .quote, .reply]
}

/// The figures of a post.
public struct PostFigures: Sendable, Hashable {
  /// When it was written.
  public let at: Instant
  public let kinds: PostKinds
  /// Sum of likes, reposts, replies and quotes.
  public let interactions: Int
  /// The author's followers at that time; nil if unknown.
  public let followers: Int?

  /// Creates figures; negative counts are treated as zero.
  public init(
    at moment: Instant, kinds: PostKinds, likes: Int, reposts: Int, replies: Int, quotes: Int, followers: Int?
  ) {
    at = moment
    self.kinds = kinds
    interactions = [likes, reposts, replies, quotes].reduce(0) { sum, count in
      let (total, overflow) = sum.addingReportingOverflow(max(0, count))
      return overflow ? .max : total
    }
    self.followers = followers
  }

  /// Interactions per follower: (likes + reposts + replies + quotes) / followers at that time; nil if the
  /// number of followers is unknown or zero. May exceed 1.
  public var engagementRate: Double? {
    followers.flatMap { $0 > 0 ? Double(interactions) / Double($0) : nil }
  }
}

/// The engagement of posts with a common property.
public struct EngagementGroup<Key: Hashable & Sendable>: Sendable, Hashable {
  /// With fewer posts nothing can be concluded.
  public static var fewestPosts: Int { 10 }

  public let key: Key
  /// Number of posts with a known rate.
  public let posts: Int
  /// The median rate; nil for fewer than ``fewestPosts``.
  public let rate: Estimate?
  /// Comparison with all posts: better or worse if the intervals of the two medians do not overlap. That of the group has
  /// a confidence of 95 % for all groups of the picture together.
  public let comparison: Comparison

  /// The result of a comparison.
  public enum Comparison: String, Sendable, Hashable, CaseIterable {
    case better, worse
    /// No visible difference, or too few posts.
    case unclear
  }

  /// - Parameter groups: the number of groups that are compared with all posts.
  fileprivate init(_ key: Key, _ rates: [Double], all: Estimate?, among groups: Int) {
    self.key = key
    posts = rates.count
    rate = rates.count < Self.fewestPosts ? nil : .median(of: rates)
    let bounds = rate.flatMap { _ in Estimate.median(of: rates, error: Significance.level(of: groups)) }
    comparison =
      switch (bounds, all) {
      case (let rate?, let all?) where rate.interval.lowerBound > all.interval.upperBound: .better
      case (let rate?, let all?) where rate.interval.upperBound < all.interval.lowerBound: .worse
      default: .unclear
      }
  }
}

/// An hour of the week.
public struct HourOfWeek: Sendable, Hashable {
  /// From 1 for Monday to 7.
  public let weekday: Int
  /// 0 to 23.
  public let hour: Int
}

/// The engagement of an account's posts, in total and by common properties.
public struct Engagement: Sendable, Hashable {
  /// Number of posts with a known rate.
  public let posts: Int
  /// The median rate; nil for fewer than ten posts.
  public let rate: Estimate?
  /// By kind; a post may have several kinds.
  public let byKind: [EngagementGroup<PostKinds>]
  /// By hour of the day, 0 to 23; only hours with posts.
  public let byHour: [EngagementGroup<Int>]
  /// By day of the week, from 1 for Monday to 7.
  public let byWeekday: [EngagementGroup<Int>]
  /// By hour of the week, in order.
  public let byHourOfWeek: [EngagementGroup<HourOfWeek>]

  /// Groups posts, in any order, by the time of a clock.
  public init(of posts: some Sequence<PostFigures>, clock: ZonedCalendar = .utc) {
    var (all, kinds) = ([Double](), [PostKinds: [Double]]())
    var (hours, weekdays, both) = ([Int: [Double]](), [Int: [Double]](), [HourOfWeek: [Double]]())
    for post in Array(posts) {
      guard let rate = post.engagementRate else { continue }
      all.append(rate)
      for kind in PostKinds.all where post.kinds.contains(kind) { kinds[kind, default: []].append(rate) }
      let time = HourOfWeek(weekday: clock.weekday(at: post.at), hour: clock.hour(at: post.at))
      hours[time.hour, default: []].append(rate)
      weekdays[time.weekday, default: []].append(rate)
      both[time, default: []].append(rate)
    }
    self.posts = all.count
    rate = all.count < EngagementGroup<Int>.fewestPosts ? nil : .median(of: all)
    let whole = rate
    func groups<Key>(
      _ rates: [Key: [Double]], among count: Int, _ order: (Key) -> Int
    ) -> [EngagementGroup<Key>] {
      rates.sorted { order($0.key) < order($1.key) }.map {
        EngagementGroup($0, $1, all: whole, among: count)
      }
    }
    byKind = groups(kinds, among: PostKinds.all.count) { Int($0.rawValue) }
    byHour = groups(hours, among: Self.times) { $0 }
    byWeekday = groups(weekdays, among: Self.times) { $0 }
    byHourOfWeek = groups(both, among: Self.hoursOfWeek) { $0.weekday * 24 + $0.hour }
  }

  /// The hours and weekdays of one picture.
  private static let times = 24 + 7
  private static let hoursOfWeek = 24 * 7
}
