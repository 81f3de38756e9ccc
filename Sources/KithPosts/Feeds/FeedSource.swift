// SPDX-License-Identifier: Apache-2.0

public import KithCore
internal import KithRelationships

/// Where the entries of a feed come from.
public enum FeedSource: Sendable, Hashable {
  /// The timeline of the viewer: posts and reposts by it and the accounts it follows.
  ///
  /// With accounts, only what those post and repost; the viewer has to follow all of them.
  case timeline(of: Set<DID>? = nil)
  /// The feed of a list: posts and replies of its members, no reposts.
  case list(ATURI)
  /// What one account posts and reposts.
  case author(ATIdentifier)
  /// What several accounts post and repost, merged: a call for each.
  case authors([DID])

  /// The kind of a source, as a cursor names it.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    case timeline, list, author, authors
  }

  /// The kind of this source.
  public var kind: Kind {
    switch self {
    case .timeline: .timeline
    case .list: .list
    case .author: .author
    case .authors: .authors
    }
  }
}

/// Where a feed continues.
///
/// It holds the moment of the last entry and what identifies the last ones, so that a page that has grown in the meantime repeats
/// nothing, and the cursor of the AppView, which only the AppView understands. A page is in the order of the AppView, which may
/// differ from that of the moments: a post with an old date can be among new ones. Merged feeds are in the order of moments, and
/// need the moment alone: they can continue on any machine.
public struct FeedCursor: Sendable, Hashable, LosslessStringConvertible {
  /// A place between two entries.
  struct Place: Sendable, Hashable {
    /// The moment of the entry before it.
    var moment: Instant
    /// How many entries of that moment are before it.
    var count: Int
    /// The last entries before it, the last one last: where one of them stands on the page, the feed continues after it.
    var marks: [FeedItem.Mark] = []

    /// Adds an entry before it.
    mutating func pass(_ item: FeedItem, at moment: Instant) {
      if self.moment == moment { count += 1 } else { (self.moment, count) = (moment, 1) }
      marks = (marks + [item.mark]).suffix(Self.mostMarks)
    }

    /// Several, because each of them may be deleted until the feed continues.
    private static let mostMarks = 3
  }

  /// The kind of source that it is for.
  public let kind: FeedSource.Kind
  /// The cursor of the page; nil for the first one.
  let page: String?
  /// The place on the page; nil for its beginning.
  let place: Place?

  init(_ kind: FeedSource.Kind, page: String?, after place: Place?) {
    (self.kind, self.page, self.place) = (kind, page, place)
  }

  /// Parses ``description``; nil for any other text.
  public init?(_ text: String) {
    let parts = text.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count > 1, let kind = FeedSource.Kind(rawValue: String(parts[0])) else { return nil }
    var place: Place?
    if !parts[1].isEmpty {
      let numbers = parts[1].split(separator: "+", omittingEmptySubsequences: false)
      guard numbers.count == 2 || numbers.count == 3, let moment = Int64(numbers[0]),
        let count = Int(numbers[1]), count > 0
      else { return nil }
      let names = numbers.count == 3 ? numbers[2].split(separator: "-", omittingEmptySubsequences: false) : []
      let marks = names.compactMap { FeedItem.Mark($0) }
      guard marks.count == names.count else { return nil }
      place = Place(moment: Instant(microsecondsSinceEpoch: moment), count: count, marks: marks)
    }
    let page = parts.count == 3 ? String(parts[2]) : nil
    guard page.map({ !$0.isEmpty }) ?? (place != nil) else { return nil }
    self.init(kind, page: page, after: place)
  }

  /// `KIND.MICROSECONDS+COUNT+MARKS.PAGE`, where the place may be empty, and the marks and the page absent.
  public var description: String {
    let place = place.map { "\($0.moment.microsecondsSinceEpoch)+\($0.count)\($0.markWords)" } ?? ""
    return "\(kind.rawValue).\(place)\(page.map { ".\($0)" } ?? "")"
  }
}

extension FeedCursor.Place {
  fileprivate var markWords: String {
    marks.isEmpty ? "" : "+" + marks.map(\.description).joined(separator: "-")
  }
}

extension FeedItem {
  /// Tells an entry from others of its page: a short hash of the post and of who has reposted it.
  struct Mark: Sendable, Hashable, CustomStringConvertible {
    private let hash: UInt32

    init(of text: String) {
      // FNV-1a: Swift's own hashes differ from one run to the next.
      hash = text.utf8.reduce(0x811c_9dc5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    }

    /// Parses ``description``; nil for any other text.
    init?(_ text: some StringProtocol) {
      guard text.utf8.count == 8, let hash = UInt32(text, radix: 16) else { return nil }
      self.hash = hash
    }

    /// Eight hexadecimal digits.
    var description: String {
      let digits = String(hash, radix: 16)
      return String(repeating: "0", count: 8 - digits.count) + digits
    }
  }

  var mark: Mark { Mark(of: "\(post.uri) \(repost.map { "\($0.by.account)" } ?? "")") }

  /// The moment by which it is ordered: to the millisecond, as AppViews order posts, and at most a present one.
  func moment(before now: Instant) -> Instant {
    let microseconds = min(moment.instant, now).microsecondsSinceEpoch
    return Instant(microsecondsSinceEpoch: microseconds - ((microseconds % 1_000) + 1_000) % 1_000)
  }
}
