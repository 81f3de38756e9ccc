// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// Keeps what was read to find people, for a day: it can be read again, at a call for each account.
package protocol DiscoveryStore: Sendable {
  /// The newest follows of those of some accounts that were read in a period.
  func follows(of accounts: [DID], readIn period: ClosedRange<Instant>) async throws -> [DID: [DID]]
  /// Keeps the newest follows of accounts.
  func keep(follows: [DID: [DID]], at now: Instant) async throws
  /// Whether accounts ask to be left out of recommendations; without those that were not asked in the period.
  func optOuts(of accounts: [DID], readIn period: ClosedRange<Instant>) async throws -> [DID: Bool]
  /// Keeps whether accounts ask to be left out of recommendations.
  func keep(optOuts: [DID: Bool], at now: Instant) async throws
}
