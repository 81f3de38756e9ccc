// SPDX-License-Identifier: Apache-2.0

public import KithRelationships

/// Keeps the names of accounts for later: no server returns that of a deleted account.
public protocol NameStore: Sendable {
  /// Remembers the names that accounts have now; those without a name are left alone.
  ///
  /// What it throws ends the snapshot, so a cache that may be lost throws nothing.
  func remember(_ views: [AccountView]) async throws
}
