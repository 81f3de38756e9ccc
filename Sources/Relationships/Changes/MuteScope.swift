// SPDX-License-Identifier: Apache-2.0

/// How much of an account a mute hides.
///
/// One account has one mute: a later one replaces the scope of an earlier one (Q9).
public enum MuteScope: String, Sendable, Hashable, CaseIterable {
  /// All that the account posts and says.
  case everything
  /// Only what it reposts.
  case reposts
  /// Only its quotes of other posts.
  case quotes
}
