// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships

extension AuditRow: PrintableRow {
  static let help = """
    Fields of each row: kind, problem (false for information only), did, handle, displayName, list, records \
    (AT-URIs; duplicates oldest first), since (for inactive: the last change), repair (what --fix would do: \
    unfollow, unblock, unblock list, clear list, deduplicate; null if it cannot be fixed), detail.
    """

  static let headings = ["FINDING", "ABOUT", "WHAT"]

  func tableRow(at now: Datetime) -> TableRow {
    TableRow(cells: [
      TableRow.Cell(finding.kind.rawValue, finding.kind.isProblem ? .bad : .faint), TableRow.Cell(subject),
      TableRow.Cell(words),
    ])
  }

  private var words: String {
    var parts = [finding.detail]
    if finding.kind == .duplicate, let collection = finding.records.first?.collection {
      parts.append("of \(collection)")
    }
    if finding.kind == .ghost {
      parts.append("shown only by the AppView, which may be outdated; cannot be removed")
    }
    if finding.subject != nil, let list = finding.list {
      let owner = listOwner?.name ?? "\(list.authority)"
      // In words that fit on a line, so that none is cut.
      parts.append(list.recordKey.map { "list \($0) of \(owner)" } ?? "\(list)")
    }
    return parts.filter { !$0.isEmpty }.joined(separator: "; ")
  }
}
