// SPDX-License-Identifier: Apache-2.0

package import KithCore
package import KithRelationships

/// The counts of a profile at one time.
package struct CountsAtTime: Sendable, Hashable {
  /// In microseconds since 1970.
  package let at: Int64
  package let counts: AccountView.Counts

  /// Creates a pair of time and counts.
  package init(at: Int64, _ counts: AccountView.Counts) {
    self.at = at
    self.counts = counts
  }
}

/// Stores the counts of profiles over time.
package protocol CountStore: Sendable {
  /// Stores the counts of a profile.
  func record(_ counts: CountsAtTime, of actor: DID) async throws

  /// The counts of an actor's profile, oldest first.
  func counts(of actor: DID, since: Int64) async throws -> [CountsAtTime]
}
