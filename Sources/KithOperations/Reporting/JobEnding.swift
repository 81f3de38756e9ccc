// SPDX-License-Identifier: Apache-2.0

package import KithWriting

/// How a run of a job ended.
package struct JobRunOutcome: Sendable {
  /// The job and its items.
  package let summary: JobSummary
  /// How the run ended; nil if there was nothing to do.
  package let end: JobEnd?
}

/// What became of a timed change that has expired.
package enum DueJobEnding: Sendable {
  /// Its undo was run.
  case run(JobRunOutcome, isUndo: Bool)
  /// Another process undoes it at the same moment, or has done so.
  case elsewhere(JobID, isDone: Bool)
  /// It could not be undone.
  case failed(JobID, any Error)
}
