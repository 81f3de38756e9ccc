// SPDX-License-Identifier: Apache-2.0

package import KithCore
internal import KithLexicons
internal import KithRelationships

/// Which of some accounts are followed.
package struct FollowedMembers: Sendable, Hashable {
  /// The accounts that the account follows.
  package var followed: Set<DID> = []
  /// Those of them that follow back according to the AppView.
  package var mutual: Set<DID> = []

  /// Creates the answer.
  package init(followed: Set<DID> = [], mutual: Set<DID> = []) {
    self.followed = followed
    self.mutual = mutual
  }
}

extension FactLoader {
  /// Returns which of some accounts the account follows, by its own records, and which of those follow back.
  func followed(among accounts: Set<DID>) async throws -> FollowedMembers {
    if accounts.isEmpty { return FollowedMembers() }
    let own = try await follows(among: accounts)
    let followed = accounts.filter { own?[$0].isEmpty == false }
    return FollowedMembers(followed: followed, mutual: try await followers(among: followed))
  }
}
