// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// How far a run has come, told after whatever was written down of it and before each wait.
public struct JobProgress: Sendable, Hashable {
  /// The job.
  public var job: JobID
  /// Its items by state, and the points that are left to pay.
  public var counts: JobCounts
  /// When all will be done if points are all that it waits for; nil where that will never be.
  public var eta: Datetime?
  /// What it waits for; nil while it works.
  public var wait: JobWait?
  /// Until when it waits.
  public var waitsUntil: Datetime?
}
