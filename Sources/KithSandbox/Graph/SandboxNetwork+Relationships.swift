// SPDX-License-Identifier: Apache-2.0

package import KithCore

extension SandboxNetwork {
  /// The initial relationship of two accounts; empty if one of them is unknown, or if both are the same.
  ///
  /// Follows are shown despite blocks (Q5), and whatever the status of the accounts (Q2).
  package func relationship(of actor: DID, with other: DID) -> SandboxRelationship {
    LiveGraph(self).relationship(of: actor, with: other)
  }
}
