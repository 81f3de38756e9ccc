// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// Who came and who left between two snapshots.
public struct AudienceChanges: Sendable, Hashable {
  /// An account that came or left.
  public struct Change: Sendable, Hashable {
    public let account: InsightAccount
    /// The number of its followers; nil if unknown.
    public let followers: Int?
    /// When it came or left: a time, or the interval between two snapshots.
    public let time: Membership.TimeBounds
    /// Why it left, in words; nil for an arrival.
    public let reason: String?

    /// Creates a change.
    public init(
      _ account: InsightAccount, followers: Int? = nil, _ time: Membership.TimeBounds, reason: String? = nil
    ) {
      self.account = account
      self.followers = followers
      self.time = time
      self.reason = reason
    }
  }

  /// How many accounts changed.
  public struct Totals: Sendable, Hashable {
    public var came = 0
    public var left = 0
    /// Followers that own blocks hide: they have not left.
    public var hidden = 0
    /// Followers that are shown again, because the own block is gone: they have not come.
    public var shown = 0

    /// No changes.
    public init() {}

    /// Whether nothing changed.
    public var isEmpty: Bool { self == Totals() }
  }

  /// The latest arrivals, the last one first.
  public let came: [Change]
  /// The latest departures, the last one first.
  public let left: [Change]
  /// All changes.
  public let totals: Totals
  /// The snapshots between which they were.
  public let pair: SnapshotPair

  /// The most changes of each kind that are shown.
  public static let mostShown = 10

  /// Creates the changes between two snapshots.
  ///
  /// - Parameters:
  ///   - came: the latest arrivals, in any order.
  ///   - left: the latest departures, in any order.
  public init(came: [Change], left: [Change], _ totals: Totals, between pair: SnapshotPair) {
    func latest(_ changes: [Change]) -> [Change] {
      let order = changes.sorted {
        ($1.time.by, $0.account.did.description) < ($0.time.by, $1.account.did.description)
      }
      return Array(order.prefix(Self.mostShown))
    }
    (self.came, self.left) = (latest(came), latest(left))
    (self.totals, self.pair) = (totals, pair)
  }
}

/// A post with its counts.
public struct BestPost: Sendable, Hashable {
  /// Its page; nil if unknown.
  public let page: String?
  /// When it was written.
  public let at: Instant
  public let text: String
  public var likes = 0
  public var reposts = 0
  public var replies = 0
  public var quotes = 0

  /// Creates a post without interactions.
  public init(page: String?, at moment: Instant, text: String) {
    self.page = page
    at = moment
    self.text = text
  }

  /// Likes, reposts, replies and quotes together.
  var interactions: Int {
    PostFigures(
      at: at, kinds: .text, likes: likes, reposts: reposts, replies: replies, quotes: quotes, followers: nil
    ).interactions
  }

  /// Posts with the most interactions, the best one first; of equal ones the later one.
  public static func best(of posts: [BestPost], most: Int) -> [BestPost] {
    let liked = posts.filter { $0.interactions > 0 }
    return Array(
      liked.sorted { ($1.interactions, $1.at) < ($0.interactions, $0.at) }.prefix(max(0, most)))
  }
}
