// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// A job, how far it has come, and who has it in use.
public struct JobSummary: Sendable, Hashable {
  /// The job.
  public var job: Job
  /// Its items by state.
  public var counts: JobCounts
  /// The process that has it in use now; nil where none does.
  public var holder: JobHolder?
  /// When all will be done if the budget of points is all that it waits for; nil where nothing is left or where
  /// that will never be.
  public var eta: Datetime?

  /// Puts a summary together.
  public init(job: Job, counts: JobCounts, holder: JobHolder? = nil, eta: Datetime? = nil) {
    self.job = job
    self.counts = counts
    self.holder = holder
    self.eta = eta
  }
}
