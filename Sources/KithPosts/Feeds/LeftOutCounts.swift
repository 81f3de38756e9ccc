// SPDX-License-Identifier: Apache-2.0

/// How much is left out because of how the viewer and the accounts are related.
public struct LeftOutCounts: Sendable, Hashable {
  /// Because of a block in either direction.
  public package(set) var blocked = 0
  /// Because the viewer mutes an account.
  public package(set) var muted = 0
  /// Because the relationship with an account is unknown.
  public package(set) var unknown = 0

  /// Nothing is left out.
  public init() {}

  package mutating func add(_ reason: LeftOut) {
    switch reason {
    case .blocked: blocked += 1
    case .muted: muted += 1
    case .unknown: unknown += 1
    }
  }

  package static func + (one: LeftOutCounts, other: LeftOutCounts) -> LeftOutCounts {
    var sum = one
    sum.blocked += other.blocked
    sum.muted += other.muted
    sum.unknown += other.unknown
    return sum
  }
}
