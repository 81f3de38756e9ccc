// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships

/// The counts of a profile at one time.
public struct CountsAtTime: Sendable, Hashable {
  public let at: Instant
  public let counts: AccountView.Counts

  /// Creates a pair of time and counts.
  public init(at: Instant, _ counts: AccountView.Counts) {
    self.at = at
    self.counts = counts
  }
}

/// Stores the counts of profiles over time.
public protocol CountStore: Sendable {
  /// Stores the counts of a profile.
  func record(_ counts: CountsAtTime, of actor: DID) async throws

  /// The counts of an actor's profile, oldest first.
  func counts(of actor: DID, since: Instant) async throws -> [CountsAtTime]
}
