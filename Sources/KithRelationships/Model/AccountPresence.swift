// SPDX-License-Identifier: Apache-2.0

/// Whether an account exists, and whether the AppView shows it.
public enum AccountPresence: String, Sendable, Hashable, CaseIterable {
  /// The AppView shows the account.
  case shown
  /// The account exists, but the AppView does not show it: it is deactivated or suspended, or the AppView has
  /// not indexed it (Q2). What it has done is then unknown.
  case hidden
  /// The account was deleted or never registered, as its directory or its own server says.
  case absent
}
