// SPDX-License-Identifier: Apache-2.0

/// The sole right to run a job, or to write its items down; it ends with the process at the latest.
public protocol JobClaim: Sendable {
  /// Gives the right back. Nothing happens where it was given back before.
  func release()
}
