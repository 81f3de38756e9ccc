// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithHistory
import KithOperations
import KithRelationships
import KithWording

extension ListingCountRow: PrintableRow {
  static let help = """
    Fields of each row: actor, handle, side (followers, follows), count (counted and streamed together), counted (in the profile), countedAt, countedBy (the URL of \
    the AppView), streamed (what a stream told since; null if none is followed), listed (in the history; null if it was never read), listedAt (up to when that is current), listedBy \
    (snapshot, or the name of the stream), unknownSince (changes since then may be missing; null if none are), source \
    (appview, or daemon if kith daemon has counted what came since).
    """

  static let headings = ["ACCOUNT", "SIDE", "COUNTED", "LISTED", "CURRENT TO"]

  var unnamed: [DID] { view?.handle == nil ? [listing.actor] : [] }

  func named(by known: [DID: AccountView]) -> ListingCountRow {
    view?.handle == nil ? named(known[listing.actor]) : self
  }

  func tableRow(at now: Datetime) -> TableRow {
    let current = listed.map { listed in
      RelativeTimeText.relative(Datetime(at: listed.at), to: now)
        + (listed.source == .snapshot ? ", snapshot" : ", live")
        + (listed.unknownSince.map { "; unknown since \(TimeWords.second($0))" } ?? "")
    }
    return TableRow(cells: [
      TableRow.Cell(listing.actor.name(in: view), whole: true), TableRow.Cell(listing.side.rawValue),
      TableRow.Cell(count.map { "\($0)" } ?? ""), TableRow.Cell(listed.map { "\($0.count)" } ?? ""),
      TableRow.Cell(current ?? "never read"),
    ])
  }
}
