// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithWriting

extension JobRow: PrintableRow {
  static let headings = ["JOB", "WHEN", "CHANGE", "STATE", "REMARKS"]
  /// Numbers are short.
  static let leastFirst = 6

  /// Titles of jobs that say too little without their command.
  private static let ofFriends: Set<String> = ["request", "cancel", "accept", "decline", "remove", "policy"]

  func tableRow(at now: Datetime) -> TableRow {
    let colour: Palette.Colour? =
      switch job.state {
      case .done: counts[.failed] == 0 ? .good : .bad
      case .cancelled, .preparing: .faint
      case .waiting, .running, .paused, .proposed: nil
      }
    return TableRow(cells: [
      TableRow.Cell(job.id.description), TableRow.Cell(RelativeTimeText.relative(job.createdAt, to: now)),
      TableRow.Cell(change),
      TableRow.Cell("\(words) \(counts[.done] + counts[.undone]) of \(total)", colour),
      TableRow.Cell(remarks(at: now).joined(separator: "; ")),
    ])
  }

  /// What it does, and to which accounts: `follow bob.test, carol.test +498`.
  private var change: String {
    let more = total - targets.count
    let named = targets.isEmpty ? "" : " \(targets.joined(separator: ", "))\(more > 0 ? " +\(more)" : "")"
    return (Self.ofFriends.contains(job.title) ? "friends \(job.title)" : job.title) + named
  }

  /// The state in a table: a waiting job does not continue by itself.
  private var words: String { job.state == .waiting ? "stopped" : state }

  private func remarks(at now: Datetime) -> [String] {
    var remarks: [String] = namesAccount ? ["as \(handle?.description ?? job.account.description)"] : []
    if let holder = summary.holder { remarks.append("in use by \(holder)") }
    if let undone = job.undoes { remarks.append("undoes job \(undone)") }
    if counts[.failed] > 0 { remarks.append("\(counts[.failed]) failed") }
    if counts[.undone] > 0 {
      remarks.append(counts[.undone] == counts.total ? "undone" : "\(counts[.undone]) undone")
    }
    if isDue {
      remarks.append("its end is overdue: kith jobs due")
    } else if let until = end, until.instant > now.instant {
      remarks.append("ends \(RelativeTimeText.relative(until, to: now))")
    }
    if let note = job.note { remarks.append(note) }
    if job.state == .proposed, let end = job.proposal?.expiresAt {
      remarks.append(
        "approve it with kith jobs approve \(job.id); expires \(RelativeTimeText.relative(end, to: now))")
    }
    if job.note == nil, let eta = summary.eta,
      eta.instant > now.instant
    {
      remarks.append("can finish \(RelativeTimeText.relative(eta, to: now))")
    }
    return remarks
  }
}
