// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// The relationship of two accounts of a ``SandboxNetwork``, with the AT-URI of each edge.
package struct SandboxRelationship: Sendable, Hashable {
  /// The actor's follow of the other.
  package internal(set) var following: ATURI?
  /// The other's follow of the actor.
  package internal(set) var followedBy: ATURI?
  /// The actor's block of the other.
  package internal(set) var blocking: ATURI?
  /// The other's block of the actor.
  package internal(set) var blockedBy: ATURI?
  /// A list that the actor blocks and the other is on; the list's URI, not the listblock record's (Q6).
  package internal(set) var blockingByList: ATURI?
  /// A list that the other blocks and the actor is on; the list's URI, not the listblock record's (Q6).
  package internal(set) var blockedByList: ATURI?

  init() {}
}
