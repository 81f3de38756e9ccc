// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships
import KithWriting

/// A finding of `kith doctor`, as a row.
struct AuditRow: PrintableRow {
  let finding: AuditFinding
  /// The change that fixes it; nil if it cannot be fixed.
  let repair: ChangeIntent?

  static let fieldNames = [
    "kind", "problem", "did", "handle", "displayName", "list", "records", "since", "repair", "detail",
  ]

  static let help = """
    Fields of each row: kind, problem (false for information only), did, handle, displayName, list, records \
    (AT-URIs; duplicates oldest first), since (for inactive: the last change), repair (what --fix would do: \
    unfollow, unblock, unblock list, clear list, deduplicate; null if it cannot be fixed), detail.
    """

  static let headings = ["FINDING", "ABOUT", "WHAT"]

  func write(to fields: inout RowEncoder) {
    fields.text(finding.kind.rawValue)
    fields.flag(finding.kind.isProblem)
    fields.text(finding.subject?.account.description)
    fields.text(finding.subject?.handle?.description)
    fields.text(finding.subject?.displayName)
    fields.text(finding.list?.description)
    fields.value(.array(finding.records.map { .string($0.description) }))
    fields.text(finding.since?.description)
    fields.text(repair?.title)
    fields.text(finding.detail)
  }

  var tableRow: TableRow {
    TableRow(cells: [
      TableRow.Cell(finding.kind.rawValue, finding.kind.isProblem ? .bad : .faint), TableRow.Cell(subject),
      TableRow.Cell(words),
    ])
  }

  /// The display name of the account or list.
  var subject: String {
    if let subject = finding.subject { return subject.account.name(in: subject) }
    return finding.list?.description ?? finding.records.first?.description ?? ""
  }

  private var words: String {
    var parts = [finding.detail]
    if finding.kind == .duplicate, let collection = finding.records.first?.collection {
      parts.append("of \(collection)")
    }
    if finding.kind == .ghost {
      parts.append("shown only by the AppView, which may be outdated; cannot be removed")
    }
    if finding.subject != nil, let list = finding.list { parts.append("\(list)") }
    return parts.filter { !$0.isEmpty }.joined(separator: "; ")
  }
}
