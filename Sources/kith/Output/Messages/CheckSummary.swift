// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithRelationships

/// Counts the answers of a batch by kind.
struct CheckSummary {
  private(set) var rows = 0
  private var following = 0
  private var followedBy = 0
  private var mutual = 0
  private var blocked = 0
  private var missing = 0
  private var errors = 0
  /// The coverage of each listing that supplied targets.
  var listings: [ListingCoverage] = []
  /// Whether the first error ended the run early.
  var stopsEarly = false

  mutating func add(_ answer: RelationshipAnswer) {
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

  /// The number of rows of each kind: field, count, and words for people.
  var counts: [(field: String, value: Int, words: String)] {
    [
      ("following", following, "following"), ("followedBy", followedBy, "followed by"),
      ("mutual", mutual, "mutual"), ("blocked", blocked, "blocked"), ("notFound", missing, "not found"),
      ("errors", errors, "error\(errors == 1 ? "" : "s")"),
    ]
  }

  /// The number of accounts that could not be listed; nil if no listing supplied targets.
  var notListable: Int? { listings.isEmpty ? nil : listings.reduce(0) { $0 + $1.missing } }

  /// The summary of a run; nil for no rows, and for a single row, which says everything itself.
  ///
  /// - Parameter isWhole: false if the run was interrupted before its last row.
  func message(_ cost: CallCost, elapsed: Duration, isWhole: Bool = true) -> Message? {
    guard rows > (isWhole && !stopsEarly ? 1 : 0) else { return nil }
    return .checkSummary(self, cost, elapsed: elapsed, isWhole: isWhole)
  }
}
