// SPDX-License-Identifier: Apache-2.0

public import KithClient
public import KithCore

/// A time in which a listing was not followed: what happened then is only known as far as servers tell later.
public struct HistoryGap: Sendable, Hashable {
  /// The time of the last event before it.
  public let since: Instant
  /// The time of the first event after it.
  public let until: Instant
  /// When a snapshot ended that has read the whole listing since; nil if there was none.
  public let closedAt: Instant?

  /// Creates a gap.
  public init(since: Instant, until: Instant, closedAt: Instant? = nil) {
    (self.since, self.until, self.closedAt) = (since, until, closedAt)
  }
}

/// What is known of an account on a listing.
public struct ListingStanding: Sendable, Hashable {
  public let listing: HistoryListing
  /// Whether the account is on the listing.
  public let isListed: Bool
  /// The key of the record that puts it there; nil if it is unknown, or the account is not on the listing.
  public let key: RecordKey?
  /// What hides it now, or keeps it from coming.
  public let hiddenBy: Set<LossCause>
  /// Why it left last; nil if it is on the listing, or never was.
  public let lostBy: LossCause?
}

/// Keeps listings current by the events of a stream.
///
/// A reader of a stream follows any number of listings, which share its place in the stream. Each listing has at most one
/// reader, so that a place never stands for events of a listing that the reader did not see.
public protocol StreamStore: Sendable {
  /// Makes a new reader that follows the listings from a place in a stream on. They no longer belong to another reader; one
  /// without listings is removed.
  ///
  /// A first snapshot should have begun after that place, and ended before: then the events since tell what it missed.
  /// - Parameter cursor: all events of the listings up to here are in the history, or in a gap; see ``recordGap(of:since:until:)``.
  func follow(_ listings: [HistoryListing], from cursor: StreamCursor) async throws -> StreamReaderID

  /// Ends that the listings are followed. What was known of hidden accounts is forgotten; the history stays.
  func unfollow(_ listings: [HistoryListing]) async throws

  /// The places of the readers of listings; listings that are not followed are left out.
  func cursors(of listings: [HistoryListing]) async throws -> [HistoryListing: StreamCursor]

  /// The readers of listings; listings that are not followed are left out.
  func readers(of listings: [HistoryListing]) async throws -> [HistoryListing: StreamReaderID]

  /// Applies events to the listings of a reader, and moves its place: all of it, or nothing.
  ///
  /// Events of other listings are ignored; those that come again change nothing.
  /// - Parameters:
  ///   - events: in the order of the stream.
  ///   - cursor: the place behind the last of them.
  /// - Throws: ``HistoryError``, `replaced` if the reader has lost all of its listings to others.
  @discardableResult
  func observe(
    _ events: [HistoryEvent], upTo cursor: StreamCursor, by reader: StreamReaderID
  ) async throws -> ObservedEvents

  /// Remembers that events of the listings were missed, until a full snapshot that begins later has read them.
  ///
  /// A record of which nothing but its key is known is not believed to be there any more: a second record of an account,
  /// and the records of hidden accounts. So an account with several records has an unknown key. Any other may have left and
  /// come again with another record: that full snapshot shows which it is, or makes the key unknown if it sees the account
  /// without one, as among the followers of an AppView.
  func recordGap(of listings: [HistoryListing], since: Instant, until: Instant) async throws

  /// The gaps of a listing, the oldest first.
  func gaps(of listing: HistoryListing) async throws -> [HistoryGap]

  /// What is known of an account on each followed listing that it was ever seen on.
  func standings(of account: DID) async throws -> [ListingStanding]

  /// The names that streams told of an account, the oldest first, each from its time on.
  func names(of account: DID) async throws -> [Sample<Handle>]
}
