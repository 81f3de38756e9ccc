// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// A word that a labeler has put on an account. What it means is the labeler's word, and not a fact.
public struct AccountLabel: Sendable, Hashable {
  public let value: String
  /// Who says so; the account itself for a label of its own.
  public let labeler: DID

  /// Puts together what is said and by whom.
  public init(_ value: String, by labeler: DID) {
    self.value = value
    self.labeler = labeler
  }
}

/// What is known of an account that may be run by a program.
public struct AccountTraits: Sendable, Hashable {
  public var followers: Int?
  public var follows: Int?
  public var posts: Int?
  /// When the account was made, in microseconds since 1970.
  public var createdAt: Int64?
  /// Whether it has neither a name nor a description; nil where its words are not known.
  public var isNameless: Bool?
  public var labels: [AccountLabel] = []
  /// When its latest posts were written, in any order; empty where nobody asked.
  public var recentPosts: [Int64] = []

  /// Nothing is known.
  public init() {}
}

/// A reason to take an account for one that is run by a program, with the figures that make it one.
public enum BotSign: Sendable, Hashable {
  /// A labeler calls it so.
  case label(AccountLabel)
  /// It follows thousands, and hardly anybody follows it.
  case followsManyUnreturned(follows: Int, followers: Int)
  /// It is some days old, and follows hundreds.
  case youngAndBusy(days: Int, follows: Int)
  /// It posts more than people write, day for day since it was made.
  case postsWithoutEnd(perDay: Int)
  /// The pauses between its latest posts are as good as equal.
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

  /// Words of labels that say that a program runs the account, or that it is there to bother people.
  static let labelValues: Set<String> = [
    "bot", "automated", "spam", "fake-account", "inauthentic", "follow-farming",
  ]

  /// All reasons that hold, each by its own rule:
  ///
  /// - `label`: a labeler, or the account itself, says bot, automated, spam or the like;
  /// - `follows-many`: it follows 2,000 or more, and fewer than one for every 50 of them follows it;
  /// - `young-and-busy`: it is 7 days old at most, and follows 300 or more;
  /// - `posts-without-end`: it has written 100 posts a day or more since it was made, and 1,000 at least;
  /// - `clockwork`: of 10 posts or more, the pauses between them differ by 10 % at most (their standard deviation over their
  ///   mean);
  /// - `nameless`: it has neither a name nor a description.
  public static func signs(of traits: AccountTraits, now: Int64) -> [BotSign] {
    var signs = traits.labels.filter { labelValues.contains($0.value.lowercased()) }.map(BotSign.label)
    let days = traits.createdAt.flatMap { created -> Int? in
      let (age, overflow) = now.subtractingReportingOverflow(created)
      return overflow || age < 0 ? nil : Int(age / 86_400_000_000)
    }
    if let follows = traits.follows, let followers = traits.followers, follows >= 2_000,
      followers < follows / 50
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
    if traits.isNameless == true { signs.append(.nameless) }
    return signs
  }

  /// Whether so many reasons make an account a likely bot: two of them, or a label.
  ///
  /// One rule alone meets people, too: many have no description, and some follow thousands.
  public static func areEnough(_ signs: [BotSign]) -> Bool {
    signs.count >= 2 || signs.contains { if case .label = $0 { true } else { false } }
  }

  /// The standard deviation of the pauses between posts over their mean; nil for fewer than 10 posts, and where they were
  /// all written at once.
  private static func variation(ofPauses posts: [Int64]) -> Double? {
    guard posts.count >= 10 else { return nil }
    let moments = posts.map(Double.init).sorted()
    let pauses = zip(moments, moments.dropFirst()).map { $1 - $0 }
    let mean = pauses.reduce(0, +) / Double(pauses.count)
    guard mean > 0 else { return nil }
    let squares = pauses.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return (squares / Double(pauses.count)).squareRoot() / mean
  }
}
