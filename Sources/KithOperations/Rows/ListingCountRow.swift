// SPDX-License-Identifier: Apache-2.0

public import KithClient
public import KithCore
public import KithHistory
public import KithRelationships

/// How many followers or follows an account has.
public struct ListingCountRow: OperationRow {
  /// What the history lists.
  public struct Listed: Sendable, Hashable {
    public internal(set) var count: Int
    /// The time up to which it is current.
    public internal(set) var at: Instant
    /// What told last.
    public internal(set) var source: Observation.Source
    /// Since when changes may be missing; nil if none are.
    public let unknownSince: Instant?
  }

  public let listing: HistoryListing
  /// The known names of the account.
  public private(set) var view: AccountView?
  /// The count in the profile; nil if the AppView does not say.
  public internal(set) var counted: Int?
  /// When it was read.
  public internal(set) var at: Instant
  /// What a stream told since: how many more there are, or less; nil if none is followed.
  public internal(set) var streamed: Int?
  /// The AppView.
  public let appview: ServiceURL
  /// What told the count of the profile: the AppView, or the daemon of the user, which had asked it.
  public var source = RelationshipInfo.Source.appview
  /// Nil if the history has no listing.
  public internal(set) var listed: Listed?

  /// What the profile counts at the time, and what came since; nil if it is not known.
  public var count: Int? { counted.map { $0 + (streamed ?? 0) } }

  /// The same with names.
  public func named(_ view: AccountView?) -> ListingCountRow {
    var row = self
    row.view = view
    return row
  }

  /// Fields: actor, handle, side (followers, follows), count (counted and streamed together), counted (in the profile), countedAt,
  /// countedBy (the URL of the AppView), streamed (what a stream told since; null if none is followed), listed (in the history; null if it was never read), listedAt (up to when that is current), listedBy (`snapshot`, or the name
  /// of the stream), unknownSince (changes since then may be missing; null if none are), source (`appview`, or `daemon` if
  /// `kith daemon` has counted what came since).
  public static let fieldNames = [
    "actor", "handle", "side", "count", "counted", "countedAt", "countedBy", "streamed", "listed", "listedAt",
    "listedBy",
    "unknownSince", "source",
  ]

  public func write(to fields: inout RowEncoder) {
    func date(_ moment: Instant?) -> String? { moment.map { Datetime(at: $0).description } }
    fields.text(listing.actor)
    fields.text(view?.handle?.description)
    fields.text(listing.side.rawValue)
    fields.number(count)
    fields.number(counted)
    fields.text(date(at))
    fields.text(appview.description)
    fields.number(streamed)
    fields.number(listed?.count)
    fields.text(date(listed?.at))
    fields.text(listed?.source.name)
    fields.text(date(listed?.unknownSince))
    fields.text(source.rawValue)
  }
}
