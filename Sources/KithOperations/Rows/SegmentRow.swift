// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithHistory

/// A segment, and its last counts.
public struct SegmentRow: OperationRow {
  public let segment: Segment
  /// The last count; nil if it was never counted.
  public let last: Sample<Int>?
  /// The count before it.
  public let before: Sample<Int>?

  /// Fields: name, predicate, since, members and countedAt (the last count), membersBefore and countedBefore (the
  /// count before it).
  public static let fieldNames = [
    "name", "predicate", "since", "members", "countedAt", "membersBefore", "countedBefore",
  ]

  public func write(to fields: inout RowEncoder) {
    fields.text(segment.name)
    fields.text(segment.predicate)
    fields.text(Datetime(at: segment.since).description)
    fields.number(last?.value)
    fields.text(last.map { Datetime(at: $0.at).description })
    fields.number(before?.value)
    fields.text(before.map { Datetime(at: $0.at).description })
  }
}
