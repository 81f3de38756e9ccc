// SPDX-License-Identifier: Apache-2.0

/// What a post is made of.
public struct PostKinds: OptionSet, Sendable, Hashable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// It embeds nothing.
  public static let text = PostKinds(rawValue: 1)
  public static let image = PostKinds(rawValue: 2)
  public static let video = PostKinds(rawValue: 4)
  /// A card of an outside page.
  public static let link = PostKinds(rawValue: 8)
  public static let quote = PostKinds(rawValue: 16)
  /// It answers another post, so that fewer see it.
  public static let reply = PostKinds(rawValue: 32)

  /// Each kind alone.
  public static let all: [PostKinds] = [.text, .image, .video, .link, .quote, .reply]
}

/// What became of a post.
public struct PostFigures: Sendable, Hashable {
  /// When it was written, in microseconds since 1970.
  public let at: Int64
  public let kinds: PostKinds
  /// Likes, reposts, replies and quotes together.
  public let interactions: Int
  /// How many followers its author had then; nil where nobody knows.
  public let followers: Int?

  /// Puts together what is counted; what is negative counts as nothing.
  public init(
    at moment: Int64, kinds: PostKinds, likes: Int, reposts: Int, replies: Int, quotes: Int, followers: Int?
  ) {
    at = moment
    self.kinds = kinds
    interactions = [likes, reposts, replies, quotes].reduce(0) { sum, count in
      let (total, overflow) = sum.addingReportingOverflow(max(0, count))
      return overflow ? .max : total
    }
    self.followers = followers
  }

  /// Interactions for each follower: (likes + reposts + replies + quotes) / followers at that time; nil where those are
  /// not known, or nobody followed. May be over 1.
  public var engagementRate: Double? {
    followers.flatMap { $0 > 0 ? Double(interactions) / Double($0) : nil }
  }
}

/// How posts did that have something in common.
public struct EngagementGroup<Key: Hashable & Sendable>: Sendable, Hashable {
  /// Too few posts say nothing of the next one.
  public static var fewestPosts: Int { 10 }

  public let key: Key
  /// Posts whose rate is known.
  public let posts: Int
  /// The median of their rates; nil for fewer than ``fewestPosts``.
  public let rate: Estimate?
  /// Whether they did better or worse than all posts together: the intervals of the two medians do not meet.
  public let comparison: Comparison

  /// How a group did.
  public enum Comparison: String, Sendable, Hashable, CaseIterable {
    case better, worse
    /// No difference is seen, or the posts are too few.
    case unclear
  }

  fileprivate init(_ key: Key, _ rates: [Double], all: Estimate?) {
    self.key = key
    posts = rates.count
    rate = rates.count < Self.fewestPosts ? nil : .median(of: rates)
    comparison =
      switch (rate, all) {
      case (let rate?, let all?) where rate.interval.lowerBound > all.interval.upperBound: .better
      case (let rate?, let all?) where rate.interval.upperBound < all.interval.lowerBound: .worse
      default: .unclear
      }
  }
}

/// An hour of a week.
public struct HourOfWeek: Sendable, Hashable {
  /// 1 for Monday to 7.
  public let weekday: Int
  /// 0 to 23.
  public let hour: Int
}

/// How the posts of an account did, together and by what they have in common.
public struct Engagement: Sendable, Hashable {
  /// Posts whose rate is known.
  public let posts: Int
  /// The median of their rates; nil for fewer than ten.
  public let rate: Estimate?
  /// By kind; a post may be of several.
  public let byKind: [EngagementGroup<PostKinds>]
  /// By hour of the day, 0 to 23, those in which something was posted.
  public let byHour: [EngagementGroup<Int>]
  /// By day of the week, 1 for Monday to 7.
  public let byWeekday: [EngagementGroup<Int>]
  /// By hour of the week, in the order of the week.
  public let byHourOfWeek: [EngagementGroup<HourOfWeek>]

  /// Sorts posts, in any order, by the time of a clock.
  public init(of posts: some Sequence<PostFigures>, clock: ZonedClock = .utc) {
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
    func groups<Key>(_ rates: [Key: [Double]], _ order: (Key) -> Int) -> [EngagementGroup<Key>] {
      rates.sorted { order($0.key) < order($1.key) }.map { EngagementGroup($0, $1, all: whole) }
    }
    byKind = groups(kinds) { Int($0.rawValue) }
    byHour = groups(hours) { $0 }
    byWeekday = groups(weekdays) { $0 }
    byHourOfWeek = groups(both) { $0.weekday * 24 + $0.hour }
  }
}
