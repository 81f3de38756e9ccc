// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships
import KithWriting

extension TimedChangeRow: PrintableRow {
  static let headings = ["ENDS", "CHANGE", "ACCOUNT", "JOB", "REMARKS"]

  func tableRow(at now: Datetime) -> TableRow {
    let isOverdue = change.until.map { $0.instant <= now.instant } ?? false
    let name = change.account?.name(in: view) ?? change.item.step.subjectText(in: change.job.account)
    let scope = change.mute?.scope.partWords
    let state = change.item.state == .done ? nil : change.item.state.kind.rawValue
    let remarks = [isOverdue ? "overdue: kith jobs due" : nil, scope, state].compactMap(\.self)
    return TableRow(cells: [
      TableRow.Cell(
        change.until.map { RelativeTimeText.relative($0, to: now) } ?? "", isOverdue ? .bad : nil),
      TableRow.Cell(change.job.title), TableRow.Cell(name, whole: true),
      TableRow.Cell(change.job.id.description), TableRow.Cell(remarks.joined(separator: "; ")),
    ])
  }
}
