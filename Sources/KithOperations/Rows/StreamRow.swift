// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
import KithHistory
public import KithRelationships

/// An account that is followed live, and how far its stream was read.
public struct StreamRow: OperationRow {
  public let actor: DID
  /// The known names of the account.
  public private(set) var view: AccountView?
  /// The host of the stream.
  public let host: String
  /// When the last event happened up to which everything is known.
  public private(set) var place: Instant
  /// When the stream told the last change of a listing; nil if it never did.
  public private(set) var lastChange: Instant?
  /// How often events of a listing were missed.
  public private(set) var gaps = 0
  /// Since when changes may be missing, because a listing was not read again; nil if none are.
  public private(set) var unknownSince: Instant?

  init(_ actor: DID, _ cursor: StreamCursor) { (self.actor, host, place) = (actor, cursor.host, cursor.at) }

  /// Adds a listing of the account.
  mutating func add(_ cursor: StreamCursor, _ gaps: [HistoryGap], lastChange change: Instant?) {
    place = min(place, cursor.at)
    lastChange = [lastChange, change].compactMap(\.self).max()
    self.gaps = max(self.gaps, gaps.count)
    let open = gaps.filter { $0.closedAt == nil }.map(\.since)
    unknownSince = (open + [unknownSince].compactMap(\.self)).min()
  }

  func named(_ view: AccountView?) -> StreamRow {
    var row = self
    row.view = view
    return row
  }

  /// Fields: did, handle, host (of the stream), place (when the last event happened up to which everything is known), lastChange
  /// (when the stream told the last change), gaps (how often events were missed), unknownSince (null if all was read again).
  public static let fieldNames = ["did", "handle", "host", "place", "lastChange", "gaps", "unknownSince"]

  public func write(to fields: inout RowEncoder) {
    func date(_ moment: Instant?) -> String? { moment.map { Datetime(at: $0).description } }
    fields.text(actor)
    fields.text(view?.handle?.description)
    fields.text(host)
    fields.text(date(place))
    fields.text(date(lastChange))
    fields.number(gaps)
    fields.text(date(unknownSince))
  }
}
