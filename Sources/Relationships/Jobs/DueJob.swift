// SPDX-License-Identifier: Apache-2.0

/// A timed change whose end has come.
public struct DueJob: Sendable, Hashable {
  /// The job that made what is to end.
  public var job: Job
  /// The job that undoes it, where one was begun.
  public var undo: JobID?

  /// Puts together what is due.
  public init(job: Job, undo: JobID? = nil) {
    self.job = job
    self.undo = undo
  }
}
