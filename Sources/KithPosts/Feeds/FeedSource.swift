// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// Where the entries of a feed come from.
public enum FeedSource: Sendable, Hashable {
  /// The timeline of the viewer: what it and those whom it follows post and repost.
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
/// It holds the moment of the last entry, so that a page that has grown in the meantime repeats nothing, and the cursor of the
/// AppView, which only the AppView understands. Merged feeds need the moment alone: they can continue on any machine.
public struct FeedCursor: Sendable, Hashable, LosslessStringConvertible {
  /// A place between two entries.
  struct Place: Sendable, Hashable {
    /// The moment of the entry before it.
    var moment: Instant
    /// How many entries of that moment are before it.
    var count: Int
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
      guard numbers.count == 2, let moment = Int64(numbers[0]), let count = Int(numbers[1]), count > 0 else {
        return nil
      }
      place = Place(moment: Instant(microsecondsSinceEpoch: moment), count: count)
    }
    let page = parts.count == 3 ? String(parts[2]) : nil
    guard page.map({ !$0.isEmpty }) ?? (place != nil) else { return nil }
    self.init(kind, page: page, after: place)
  }

  /// `KIND.MICROSECONDS+COUNT.PAGE`, where the place may be empty, and the page absent.
  public var description: String {
    let place = place.map { "\($0.moment.microsecondsSinceEpoch)+\($0.count)" } ?? ""
    return "\(kind.rawValue).\(place)\(page.map { ".\($0)" } ?? "")"
  }
}
