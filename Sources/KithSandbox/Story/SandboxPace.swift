// SPDX-License-Identifier: Apache-2.0

/// The kind of story.
package enum SandboxPace: Sendable, Hashable {
  /// Each day, some followers of alice.test and bob.test leave, as many arrive, and one is lost for another
  /// reason; a few days show all reasons.
  case steady
  /// The followers of alice.test grow as those of a real account, over up to two years: a trend with a
  /// weekly rhythm, two jumps, a wave of blocks, and steady losses. The clock should advance by a day with
  /// each.
  case growth
}
