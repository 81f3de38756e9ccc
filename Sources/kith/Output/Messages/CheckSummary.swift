// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import Relationships

/// What a batch came to, counted answer by answer.
struct CheckSummary {
  private(set) var rows = 0
  private var following = 0
  private var followedBy = 0
  private var mutual = 0
  private var blocked = 0
  private var missing = 0
  private var errors = 0
  /// How much of each listing that brought targets could be listed.
  var listings: [ListingCoverage] = []
  /// Whether the first error ended the run, so that more rows were wanted.
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

  /// How many rows are of each kind: the field, the number, and the words for people.
  var counts: [(field: String, value: Int, words: String)] {
    [
      ("following", following, "following"), ("followedBy", followedBy, "followed by"),
      ("mutual", mutual, "mutual"), ("blocked", blocked, "blocked"), ("notFound", missing, "not found"),
      ("errors", errors, "error\(errors == 1 ? "" : "s")"),
    ]
  }

  /// How many accounts of listings could not be listed; nil where no listing brought targets.
  var notListable: Int? { listings.isEmpty ? nil : listings.reduce(0) { $0 + $1.missing } }

  /// The message of a run; nil for a single row, which says everything itself, and for none.
  ///
  /// - Parameter isWhole: false when the run was interrupted, so that more rows were wanted.
  func message(_ cost: CallCost, elapsed: Duration, isWhole: Bool = true) -> Message? {
    guard rows > (isWhole && !stopsEarly ? 1 : 0) else { return nil }
    return .checkSummary(self, cost, elapsed: elapsed, isWhole: isWhole)
  }
}
