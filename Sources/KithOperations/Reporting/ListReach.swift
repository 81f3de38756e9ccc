// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships

/// What a block or mute of a list applies to: its purpose, and the members that the account follows.
public struct ListReach: Sendable {
  public let list: ATURI
  /// Nil if its record names none.
  public let purpose: ListPurpose?
  /// The members that the account follows, mutuals first; nil if the members could not be read.
  public var followed: [Member]?
  /// Whether more members than these were left out.
  public var isPartial = false

  /// A member that the account follows.
  public struct Member: Sendable {
    public let name: String
    public let isMutual: Bool
  }

  /// Lists with more members are not read further: each 100 take a call.
  public static let mostMembers = 10_000

  /// Whether it is made for muting and blocking.
  public var isForModeration: Bool { purpose == .moderate }
}
