// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import Relationships

/// What a batch came to, counted answer by answer.
struct CheckSummary {
  private var rows = 0
  private var following = 0
  private var followedBy = 0
  private var mutual = 0
  private var blocked = 0
  private var missing = 0
  private var errors = 0
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

  /// The line for a person; nil for a single row, which says everything itself, and for none.
  ///
  /// - Parameter isWhole: false when the run was interrupted, so that more rows were wanted.
  func line(_ cost: CallCost, elapsed: Duration, isWhole: Bool = true) -> String? {
    guard rows > (isWhole && !stopsEarly ? 1 : 0) else { return nil }
    return "\(rows) checked: \(following) following, \(followedBy) followed by, \(mutual) mutual, "
      + "\(blocked) blocked, \(missing) not found, \(errors) error\(errors == 1 ? "" : "s"); "
      + "\(cost.calls) call\(cost.calls == 1 ? "" : "s"), \(DurationText.seconds(elapsed)) s"
      + (stopsEarly
        ? "; stopped at the first error" : isWhole ? "" : "; interrupted, so that the rest was not asked")
  }
}
