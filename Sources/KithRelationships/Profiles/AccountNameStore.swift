// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// Keeps the last known names of accounts: servers no longer return that of a deleted one.
package protocol AccountNameStore: Sendable {
  /// Stores the names of accounts; accounts without a valid handle are skipped.
  ///
  /// - Parameter now: the current time.
  func remember(_ views: [AccountView], at now: Instant) async throws
  /// The known names of the accounts.
  func names(of accounts: [DID]) async throws -> [DID: AccountView]
  /// The accounts whose handle or display name begins with a text, those seen last first.
  func accounts(beginningWith text: String, most: Int) async throws -> [DID]
  /// The account that last had a handle; nil if none is known.
  func account(lastKnownAs handle: Handle) async throws -> DID?
  /// Removes names that were not seen for a long time.
  func prune(at now: Instant) async throws
}
