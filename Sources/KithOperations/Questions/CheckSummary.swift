// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
public import KithRelationships

/// Counts the answers of a batch by kind.
public struct CheckSummary: Sendable {
  public private(set) var rows = 0
  private var following = 0
  private var followedBy = 0
  private var mutual = 0
  private var blocked = 0
  private var missing = 0
  public private(set) var errors = 0
  /// The coverage of each listing that supplied targets.
  public var listings: [ListingCoverage] = []
  /// Whether the first error ended the run early.
  public var stopsEarly = false

  public init() {}

  public mutating func add(_ answer: RelationshipAnswer) {
    rows += 1
    switch answer.state {
    case .known(let info):
      if info.isFollowing { following += 1 }
      if info.isFollowedBy { followedBy += 1 }
      if info.mutual { mutual += 1 }
      if info.blocked { blocked += 1 }
    case .itself: break
    case .notFound: missing += 1
    case .failed: errors += 1
    }
  }

  /// The number of rows of each kind.
  public var counts: [(field: String, value: Int)] {
    [
      ("following", following), ("followedBy", followedBy), ("mutual", mutual), ("blocked", blocked),
      ("notFound", missing), ("errors", errors),
    ]
  }

  /// The number of accounts that could not be listed; nil if no listing supplied targets.
  public var notListable: Int? { listings.isEmpty ? nil : listings.reduce(0) { $0 + $1.missing } }
}
