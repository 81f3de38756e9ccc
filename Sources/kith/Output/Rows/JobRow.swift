// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithWriting

/// A job and its progress, as a row.
struct JobRow: PrintableRow {
  let summary: JobSummary
  /// The handle of its account, if it is known here.
  var handle: Handle?
  /// The first accounts or lists that it is about, as they were named.
  var targets: [String] = []
  /// Whether accounts are named beside what jobs do, since there are several.
  var namesAccount = false
  /// Whether what it did should have been undone by now.
  var isDue = false

  private var job: Job { summary.job }
  private var counts: JobCounts { summary.counts }

  static let fieldNames = [
    "job", "verb", "account", "state", "total", "done", "skipped", "failed", "inDoubt", "pending",
    "cancelled",
    "undone", "pointsLeft", "createdAt", "endedAt", "until", "undoes", "eta", "holder", "note", "handle",
    "targets",
  ]

  static let headings = ["JOB", "WHEN", "CHANGE", "STATE", "REMARKS"]

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
    fields.text(handle?.description)
    fields.value(.array(targets.map { .string($0) }))
  }

  var tableRow: TableRow {
    let colour: Palette.Colour? =
      switch job.state {
      case .done: counts[.failed] == 0 ? .good : .bad
      case .cancelled, .preparing: .faint
      case .waiting, .running, .paused: nil
      }
    return TableRow(cells: [
      TableRow.Cell(job.id.description), TableRow.Cell(MomentText.relative(job.createdAt)),
      TableRow.Cell(change),
      TableRow.Cell("\(words) \(counts[.done] + counts[.undone]) of \(counts.total)", colour),
      TableRow.Cell(remarks.joined(separator: "; ")),
    ])
  }

  /// What it does, and to which accounts: `follow bob.test, carol.test +498`.
  private var change: String {
    let more = counts.total - targets.count
    let named = targets.isEmpty ? "" : " \(targets.joined(separator: ", "))\(more > 0 ? " +\(more)" : "")"
    return job.title + named
  }

  /// The state in a table: a waiting job does not continue by itself.
  private var words: String { job.state == .waiting ? "stopped" : state }

  /// The state. A running job without a holder was left behind by a process that died.
  private var state: String {
    if job.state == .running, summary.holder == nil { return "interrupted" }
    return job.state.rawValue
  }

  private var remarks: [String] {
    var remarks: [String] = namesAccount ? ["as \(handle?.description ?? job.account.description)"] : []
    if let holder = summary.holder { remarks.append("in use by \(holder)") }
    if let undone = job.undoes { remarks.append("undoes job \(undone)") }
    if counts[.failed] > 0 { remarks.append("\(counts[.failed]) failed") }
    if counts[.undone] > 0 {
      remarks.append(counts[.undone] == counts.total ? "undone" : "\(counts[.undone]) undone")
    }
    if isDue {
      remarks.append("its end is overdue: kith jobs due")
    } else if counts[.done] > 0 || !job.state.isEnded, let until = job.until,
      until.instant > RunContext.current.time.instant
    {
      remarks.append("ends \(MomentText.relative(until))")
    }
    if let note = job.note { remarks.append(note) }
    if job.note == nil, let eta = summary.eta,
      eta.instant > RunContext.current.time.instant
    {
      remarks.append("can finish \(MomentText.relative(eta))")
    }
    return remarks
  }
}
