// SPDX-License-Identifier: Apache-2.0

/// The journal's answer to a commit that is about to be sent.
public enum JobBeginning: Sendable, Hashable {
  /// It is written down as in doubt, and its points are set aside: send it.
  case begun
  /// The job is not to go on: it was paused or cancelled. Nothing is written down.
  case halted(JobState)
  /// There are not points enough. Nothing is written down.
  ///
  /// - left: points that there are.
  /// - until: when there are enough, in microseconds since 1970; nil where that will never be.
  case short(left: Int, until: Int64?)
}
