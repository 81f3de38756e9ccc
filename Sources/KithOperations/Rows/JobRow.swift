// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
public import KithWriting

/// A job and its progress.
public struct JobRow: OperationRow {
  public let summary: JobSummary
  /// The handle of its account, if it is known here.
  public var handle: Handle?
  /// The first accounts or lists that it is about, as they were named.
  public var targets: [String] = []
  /// Whether accounts are named beside what jobs do, since there are several.
  public var namesAccount = false
  /// Whether what it did should have been undone by now.
  public var isDue = false
  /// When the last of what it did and is still in effect is undone; nil if nothing of it is.
  public var end: Datetime?

  /// Fields: job (its number), verb (title), account, state, total, done, skipped, failed, inDoubt, pending,
  /// cancelled, undone (numbers of items), pointsLeft (of the write budget), createdAt, endedAt, until (when it is
  /// undone), undoes (a job), eta, holder (the process that runs it), note, handle, targets (the first, as they were
  /// named), digest (of what was proposed), expiresAt (until when that can be approved).
  public static let fieldNames = [
    "job", "verb", "account", "state", "total", "done", "skipped", "failed", "inDoubt", "pending",
    "cancelled",
    "undone", "pointsLeft", "createdAt", "endedAt", "until", "undoes", "eta", "holder", "note", "handle",
    "targets", "digest", "expiresAt",
  ]

  public func write(to fields: inout RowEncoder) {
    fields.number(Int(job.id.number))
    fields.text(job.title)
    fields.text(job.account.description)
    fields.text(state)
    fields.number(total)
    for kind in [JobItemState.Kind.done, .skipped, .failed, .inDoubt, .pending, .cancelled, .undone] {
      fields.number(counts[kind])
    }
    fields.number(job.isUnapproved ? job.proposal?.points : counts.pointsLeft)
    fields.text(job.createdAt.description)
    fields.text(job.endedAt?.description)
    fields.text(job.until?.description)
    fields.number(job.undoes.map { Int($0.number) })
    fields.text(summary.eta?.description)
    fields.text(summary.holder?.description)
    fields.text(job.note)
    fields.text(handle?.description)
    fields.value(.array(targets.map { .string($0) }))
    fields.text(job.proposal?.digest.description)
    fields.text(job.state == .proposed ? job.proposal?.expiresAt.description : nil)
  }

  /// The number of its items; before it is approved, of those that it proposes.
  public var total: Int { job.isUnapproved ? job.proposal?.steps ?? 0 : counts.total }

  /// The state. A running job without a holder was left behind by a process that died.
  public var state: String {
    if job.state == .running, summary.holder == nil { return "interrupted" }
    return job.state.rawValue
  }

  /// The job.
  public var job: Job { summary.job }
  /// Its items by state.
  public var counts: JobCounts { summary.counts }
}
