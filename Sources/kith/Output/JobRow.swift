// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import RelationshipWriting

/// A job and how far it has come, as it is printed.
struct JobRow: PrintableRow {
  let summary: JobSummary

  private var job: Job { summary.job }
  private var counts: JobCounts { summary.counts }

  static let fieldNames = [
    "job", "verb", "account", "state", "total", "done", "skipped", "failed", "inDoubt", "pending",
    "cancelled",
    "undone", "pointsLeft", "createdAt", "endedAt", "until", "undoes", "eta", "holder", "note",
  ]

  static let headings = ["JOB", "VERB", "STATE", "DONE", "FAILED", "LEFT", "CREATED", "REMARKS"]

  func write(to fields: inout RowEncoder) {
    fields.number(Int(job.id.number))
    fields.text(job.title)
    fields.text(job.account.description)
    fields.text(state)
    fields.number(counts.total)
    for kind in [JobItemState.Kind.done, .skipped, .failed, .inDoubt, .pending, .cancelled, .undone] {
      fields.number(counts[kind])
    }
    fields.number(counts.pointsLeft)
    fields.text(job.createdAt.description)
    fields.text(job.endedAt?.description)
    fields.text(job.until?.description)
    fields.number(job.undoes.map { Int($0.number) })
    fields.text(summary.eta?.description)
    fields.text(summary.holder?.description)
    fields.text(job.note)
  }

  var tableRow: TableRow {
    let colour: Palette.Colour? =
      switch job.state {
      case .done: counts[.failed] == 0 ? .good : .bad
      case .cancelled, .preparing: .faint
      case .waiting, .running, .paused: nil
      }
    return TableRow(cells: [
      TableRow.Cell(job.id.description), TableRow.Cell(job.title), TableRow.Cell(state, colour),
      TableRow.Cell("\(counts[.done] + counts[.undone]) of \(counts.total)"),
      TableRow.Cell("\(counts[.failed])", counts[.failed] == 0 ? .faint : .bad),
      TableRow.Cell("\(counts.left)"), TableRow.Cell(job.createdAt.description),
      TableRow.Cell(remarks.joined(separator: "; ")),
    ])
  }

  /// A job that is marked as running and that nobody holds was left behind by a process that died.
  private var state: String {
    if job.state == .running, summary.holder == nil { return "interrupted" }
    return job.state.rawValue
  }

  private var remarks: [String] {
    var remarks: [String] = []
    if let holder = summary.holder { remarks.append("in use by \(holder)") }
    if let undone = job.undoes { remarks.append("undoes job \(undone)") }
    if counts[.undone] > 0 { remarks.append("\(counts[.undone]) undone since") }
    if let until = job.until, counts[.undone] == 0 { remarks.append("to be taken back at \(until)") }
    if let note = job.note { remarks.append(note) }
    if job.note == nil, let eta = summary.eta { remarks.append("could be done at \(eta)") }
    return remarks
  }
}
