// SPDX-License-Identifier: Apache-2.0

package import KithCore
package import KithRelationships

/// The counts of a profile at one time.
package struct CountsAtTime: Sendable, Hashable {
  package let at: Instant
  package let counts: AccountView.Counts

  /// Creates a pair of time and counts.
  package init(at: Instant, _ counts: AccountView.Counts) {
    self.at = at
    self.counts = counts
  }
}

/// Stores the counts of profiles over time.
package protocol CountStore: Sendable {
  /// Stores the counts of a profile.
  func record(_ counts: CountsAtTime, of actor: DID) async throws

  /// The counts of an actor's profile, oldest first.
  func counts(of actor: DID, since: Instant) async throws -> [CountsAtTime]
}
