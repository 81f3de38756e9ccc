// SPDX-License-Identifier: Apache-2.0

import KithCore
package import KithHistory

/// A segment, and its last counts.
package struct SegmentRow: OperationRow {
  package let segment: Segment
  /// The last count; nil if it was never counted.
  package let last: SegmentCount?
  /// The count before it.
  package let before: SegmentCount?

  /// Fields: name, predicate, since, members and countedAt (the last count), membersBefore and countedBefore (the
  /// count before it).
  package static let fieldNames = [
    "name", "predicate", "since", "members", "countedAt", "membersBefore", "countedBefore",
  ]

  package func write(to fields: inout RowEncoder) {
    fields.text(segment.name)
    fields.text(segment.predicate)
    fields.text(Datetime(at: segment.since).description)
    fields.number(last?.members)
    fields.text(last.map { Datetime(at: $0.at).description })
    fields.number(before?.members)
    fields.text(before.map { Datetime(at: $0.at).description })
  }
}
