// SPDX-License-Identifier: Apache-2.0

package import KithCore
internal import KithRelationships

extension ChangeEngine {
  /// Returns which of some accounts the account follows, by its own records, and which of those follow back.
  ///
  /// - Throws: `RepositoryError` if the own records cannot be read; `CancellationError`.
  package func followed(among accounts: Set<DID>) async throws -> FollowedMembers {
    try await facts.followed(among: accounts)
  }
}
