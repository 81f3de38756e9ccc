// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships

/// What a block or mute of a list applies to: its purpose, and the members that the account follows.
struct ListReach: Sendable {
  let list: ATURI
  /// Nil if its record names none.
  let purpose: ListPurpose?
  /// The members that the account follows, mutuals first; nil if the members could not be read.
  var followed: [Member]?
  /// Whether more members than these were left out.
  var isPartial = false

  /// A member that the account follows.
  struct Member: Sendable {
    let name: String
    let isMutual: Bool
  }

  /// Lists with more members are not read further: each 100 take a call.
  static let mostMembers = 10_000

  /// Whether it is made for muting and blocking.
  var isForModeration: Bool { purpose == .moderate }
}
