// SPDX-License-Identifier: Apache-2.0

public import KithWriting

/// How a run of a job ended.
public struct JobRunOutcome: OperationOutcome {
  /// The job and its items.
  public let summary: JobSummary
  /// How the run ended; nil if there was nothing to do.
  public let end: JobEnd?

  /// Items that failed count also after a run that had nothing to do.
  public var ending: Ending {
    let failure: FailureKind? = summary.counts[.failed] > 0 ? .unavailable : nil
    return Ending(end ?? .done, failure: failure)
  }

  public var fields: [OutputField] {
    Self.fields(of: summary.job.id, end: endCode, summary.counts)
  }

  /// - Parameter tookBack: what a change that made no job did.
  static func fields(
    of job: JobID?, end: String, _ counts: JobCounts? = nil, tookBack: String? = nil
  ) -> [OutputField] {
    [OutputField]([
      "job": .number(job?.number), "end": .string(end), "items": .number(counts?.total),
      "done": .number(counts?[.done]), "failed": .number(counts?[.failed]), "left": .number(counts?.left),
      "tookBack": .text(tookBack),
    ])
  }

  /// How the run ended, as a code.
  var endCode: String {
    switch end {
    case .done?, nil: "done"
    case .paused?: "paused"
    case .cancelled?: "cancelled"
    case .stopped?: "stopped"
    }
  }
}

/// What became of a timed change that has expired.
public enum DueJobEnding: Sendable {
  /// Its undo was run.
  case run(JobRunOutcome, isUndo: Bool)
  /// Another process undoes it at the same moment, or has done so.
  case elsewhere(JobID, isDone: Bool)
  /// By the clock of the account's server its end has not come, so it is left as it is.
  case early(JobID)
  /// It could not be undone.
  case failed(JobID, any Error)

  /// The kind of failure; nil if nothing failed. Failed items of a change that is not undone do not count.
  var failure: FailureKind? {
    switch self {
    case .run(let outcome, let isUndo): isUndo ? outcome.ending.failure : Ending(outcome.end ?? .done).failure
    case .failed(_, let error): FailureKind(any: error)
    case .elsewhere, .early: nil
    }
  }
}
