// SPDX-License-Identifier: Apache-2.0

/// How a run of a job ended.
public enum JobEnd: Sendable, Hashable {
  /// Nothing is left to do. Items may have failed.
  case done
  /// Somebody paused it.
  case paused
  /// Somebody gave up what was left.
  case cancelled
  /// Something is in the way; the job can be resumed.
  case stopped(JobStop)
}
