// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import RelationshipWriting
import Relationships

/// A finding of `kith doctor`, as it is printed.
struct AuditRow: PrintableRow {
  let finding: AuditFinding
  /// What mends it; nil where nothing does.
  let repair: ChangeIntent?

  static let fieldNames = [
    "kind", "problem", "did", "handle", "displayName", "list", "records", "since", "repair", "detail",
  ]

  static let help = """
    Fields of each row: kind, problem (false for what is only told), did, handle, displayName, list, records (AT-URIs; \
    of duplicates the oldest first), since (of inactive: the last change), repair (what --fix would do: unfollow, \
    unblock, unblock list, clear list, deduplicate; null where nothing helps), detail.
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

  /// What a person calls the account or list that the finding is about.
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
      parts.append("only the AppView shows it, or it lags behind; nothing can remove it")
    }
    if finding.subject != nil, let list = finding.list { parts.append("\(list)") }
    return parts.filter { !$0.isEmpty }.joined(separator: "; ")
  }
}
