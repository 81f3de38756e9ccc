// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithHistory
import KithOperations

extension WatchRow: PrintableRow {
  static let headings = ["ACCOUNT", "SINCE", "LAST SNAPSHOT"]

  func tableRow(at now: Datetime) -> TableRow {
    func minute(_ moment: Instant) -> String { String(Datetime(at: moment).description.prefix(16)) }
    return TableRow(cells: [
      TableRow.Cell(actor.actor.name(in: view)), TableRow.Cell(minute(actor.since)),
      TableRow.Cell(snapshotAt.map(minute) ?? "none", snapshotAt == nil ? .faint : nil),
    ])
  }
}
