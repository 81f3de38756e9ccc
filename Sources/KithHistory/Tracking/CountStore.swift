// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships

/// Stores the counts of profiles over time.
public protocol CountStore: Sendable {
  /// Stores the counts of a profile.
  func record(_ counts: Sample<AccountView.Counts>, of actor: DID) async throws

  /// The counts of an actor's profile, oldest first.
  func counts(of actor: DID, since: Instant) async throws -> [Sample<AccountView.Counts>]
}
