// SPDX-License-Identifier: Apache-2.0

public import KithWriting

/// How a run of a job ended.
public struct JobRunOutcome: Sendable {
  /// The job and its items.
  public let summary: JobSummary
  /// How the run ended; nil if there was nothing to do.
  public let end: JobEnd?
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
}
