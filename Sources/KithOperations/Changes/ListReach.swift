// SPDX-License-Identifier: Apache-2.0

package import KithCore
package import KithRelationships

/// What a block or mute of a list applies to: its purpose, and the members that the account follows.
package struct ListReach: Sendable {
  package let list: ATURI
  /// Nil if its record names none.
  package let purpose: ListPurpose?
  /// The members that the account follows, mutuals first; nil if the members could not be read.
  package var followed: [Member]?
  /// Whether more members than these were left out.
  package var isPartial = false

  /// A member that the account follows.
  package struct Member: Sendable {
    package let name: String
    package let isMutual: Bool
  }

  /// Lists with more members are not read further: each 100 take a call.
  package static let mostMembers = 10_000

  /// Whether it is made for muting and blocking.
  package var isForModeration: Bool { purpose == .moderate }
}
