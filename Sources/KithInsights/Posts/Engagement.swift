// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// The parts of a post.
package struct PostKinds: OptionSet, Sendable, Hashable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// It has no embeds.
  package static let text = PostKinds(rawValue: 1)
  package static let image = PostKinds(rawValue: 2)
  package static let video = PostKinds(rawValue: 4)
  /// A link card.
  package static let link = PostKinds(rawValue: 8)
  package static let quote = PostKinds(rawValue: 16)
  /// It is a reply, which fewer people see.
  package static let reply = PostKinds(rawValue: 32)

  /// All single kinds.
  package static let all: [PostKinds] = [.text, .image, .video, .link, .quote, .reply]
}

/// The figures of a post.
package struct PostFigures: Sendable, Hashable {
  /// When it was written.
  package let at: Instant
  package let kinds: PostKinds
  /// Sum of likes, reposts, replies and quotes.
  package let interactions: Int
  /// The author's followers at that time; nil if unknown.
  package let followers: Int?

  /// Creates figures; negative counts are treated as zero.
  package init(
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
  package var engagementRate: Double? {
    followers.flatMap { $0 > 0 ? Double(interactions) / Double($0) : nil }
  }
}

/// The engagement of posts with a common property.
package struct EngagementGroup<Key: Hashable & Sendable>: Sendable, Hashable {
  /// With fewer posts nothing can be concluded.
  package static var fewestPosts: Int { 10 }

  package let key: Key
  /// Number of posts with a known rate.
  package let posts: Int
  /// The median rate; nil for fewer than ``fewestPosts``.
  package let rate: Estimate?
  /// Comparison with all posts: better or worse if the intervals of the two medians do not overlap.
  package let comparison: Comparison

  /// The result of a comparison.
  package enum Comparison: String, Sendable, Hashable, CaseIterable {
    case better, worse
    /// No visible difference, or too few posts.
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

/// An hour of the week.
package struct HourOfWeek: Sendable, Hashable {
  /// From 1 for Monday to 7.
  package let weekday: Int
  /// 0 to 23.
  package let hour: Int
}

/// The engagement of an account's posts, in total and by common properties.
package struct Engagement: Sendable, Hashable {
  /// Number of posts with a known rate.
  package let posts: Int
  /// The median rate; nil for fewer than ten posts.
  package let rate: Estimate?
  /// By kind; a post may have several kinds.
  package let byKind: [EngagementGroup<PostKinds>]
  /// By hour of the day, 0 to 23; only hours with posts.
  package let byHour: [EngagementGroup<Int>]
  /// By day of the week, from 1 for Monday to 7.
  package let byWeekday: [EngagementGroup<Int>]
  /// By hour of the week, in order.
  package let byHourOfWeek: [EngagementGroup<HourOfWeek>]

  /// Groups posts, in any order, by the time of a clock.
  package init(of posts: some Sequence<PostFigures>, clock: ZonedClock = .utc) {
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
