// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// A label that a labeler has applied to an account. It is the labeler's opinion, not a fact.
public struct AccountLabel: Sendable, Hashable {
  public let value: String
  /// The labeler, or the account itself for a self-label.
  public let labeler: DID

  /// Creates a label.
  public init(_ value: String, by labeler: DID) {
    self.value = value
    self.labeler = labeler
  }
}

/// What is known about an account that may be automated.
public struct AccountTraits: Sendable, Hashable {
  public var followers: Int?
  public var follows: Int?
  public var posts: Int?
  /// When the account was created.
  public var createdAt: Instant?
  /// Whether it has neither a name nor a description; nil if its profile is unknown.
  public var lacksNames: Bool?
  public var labels: [AccountLabel] = []
  /// When its latest posts were written, in any order; empty if not requested.
  public var recentPosts: [Instant] = []

  /// Creates empty traits.
  public init() {}
}

/// A sign that an account is automated, with the figures behind it.
public enum BotSign: Sendable, Hashable {
  /// A label says so.
  case label(AccountLabel)
  /// It follows thousands, but has hardly any followers.
  case followsManyUnreturned(follows: Int, followers: Int)
  /// It is a few days old and follows hundreds.
  case youngAndBusy(days: Int, follows: Int)
  /// It posts more per day since its creation than people write.
  case postsWithoutEnd(perDay: Int)
  /// The intervals between its latest posts are almost equal.
  case clockwork(posts: Int, variation: Double)
  /// It has neither a name nor a description.
  case nameless

  /// The name of the rule.
  public var rule: String {
    switch self {
    case .label: "label"
    case .followsManyUnreturned: "follows-many"
    case .youngAndBusy: "young-and-busy"
    case .postsWithoutEnd: "posts-without-end"
    case .clockwork: "clockwork"
    case .nameless: "nameless"
    }
  }

  /// Label values for automated accounts, and for accounts that exist to bother people.
  static let labelValues: Set<String> = [
    "bot", "automated", "spam", "fake-account", "inauthentic", "follow-farming",
  ]

  /// All signs that apply, each with its own rule:
  ///
  /// - `label`: a labeler, or the account itself, says bot, automated, spam or similar;
  /// - `follows-many`: it follows 2,000 or more, and has fewer than one follower per 50 of them;
  /// - `young-and-busy`: it is at most 7 days old and follows 300 or more;
  /// - `posts-without-end`: it has written at least 1,000 posts, and 100 or more per day since its
  ///   creation;
  /// - `clockwork`: it has 10 or more recent posts whose intervals vary by at most 10 % (standard deviation
  ///   / mean);
  /// - `nameless`: it has neither a name nor a description.
  public static func signs(of traits: AccountTraits, now: Instant) -> [BotSign] {
    var signs = traits.labels.filter { labelValues.contains($0.value.lowercased()) }.map(BotSign.label)
    let days = traits.createdAt.flatMap { created -> Int? in
      let age = now - created
      return age < .zero ? nil : Int(age / .days(1))
    }
    if let follows = traits.follows, let followers = traits.followers, follows >= 2_000,
      followers < follows / 50 || followers == follows / 50 && follows % 50 > 0
    {
      signs.append(.followsManyUnreturned(follows: follows, followers: followers))
    }
    if let days, days <= 7, let follows = traits.follows, follows >= 300 {
      signs.append(.youngAndBusy(days: days, follows: follows))
    }
    if let days, let posts = traits.posts, posts >= 1_000, posts / max(1, days) >= 100 {
      signs.append(.postsWithoutEnd(perDay: posts / max(1, days)))
    }
    if let variation = variation(ofPauses: traits.recentPosts), variation <= 0.1 {
      signs.append(.clockwork(posts: traits.recentPosts.count, variation: variation))
    }
    if traits.lacksNames == true { signs.append(.nameless) }
    return signs
  }

  /// Whether these signs make an account a likely bot: two signs, or a label.
  ///
  /// A single rule also applies to people: many have no description, and some follow thousands.
  public static func areEnough(_ signs: [BotSign]) -> Bool {
    signs.count >= 2 || signs.contains { if case .label = $0 { true } else { false } }
  }

  /// The standard deviation of the intervals between posts divided by their mean; nil for fewer than 10
  /// posts, or if all have the same time.
  private static func variation(ofPauses posts: [Instant]) -> Double? {
    guard posts.count >= 10 else { return nil }
    let moments = posts.sorted()
    let pauses = zip(moments, moments.dropFirst()).map { ($1 - $0) / .seconds(1) }
    let mean = pauses.reduce(0, +) / Double(pauses.count)
    guard mean > 0 else { return nil }
    let squares = pauses.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return (squares / Double(pauses.count)).squareRoot() / mean
  }
}
