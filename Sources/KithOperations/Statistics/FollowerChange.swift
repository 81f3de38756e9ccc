// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithHistory
import KithInsights

/// An account that one of two snapshots lists and the other one does not, or that came and left in between.
struct FollowerChange {
  enum Kind { case came, left, hidden, shown }

  let account: DID
  let kind: Kind
  let time: Membership.TimeBounds
  /// Why it left; nil for an arrival.
  let cause: LossCause?

  /// The changes of an account in one of its stays.
  ///
  /// - Parameter membership: that of the stay, and of those before it which an own block interrupted.
  static func changes(
    in stay: HistoryInterval, _ membership: Membership, between pair: SnapshotPair
  ) -> [FollowerChange] {
    let (account, cause) = (stay.edge.account, stay.loss?.cause)
    var found: [FollowerChange] = []
    if pair.hasSeen(stay.first) {
      let shown = membership.absences.compactMap(\.shown).last
      let dated = membership.datedArrival.map { Membership.TimeBounds(after: $0, by: $0) }
      found.append(
        FollowerChange(
          account: account, kind: shown == nil ? .came : .shown, time: shown ?? dated ?? membership.arrival,
          cause: nil))
    }
    if let lostIn = stay.lostIn, pair.hasSeen(lostIn) {
      let isHidden = cause == .blocking
      let time = isHidden ? membership.absences.last?.hidden : membership.departure
      found.append(
        FollowerChange(
          account: account, kind: isHidden ? .hidden : .left,
          time: time ?? Membership.TimeBounds(after: lostIn.after, by: lostIn.by), cause: cause))
    }
    return found
  }
}

extension FollowerHistory {
  /// The changes of one kind.
  func changes(_ kind: FollowerChange.Kind) -> [FollowerChange] { changes.filter { $0.kind == kind } }
}

extension SnapshotPair {
  /// Whether something was seen after the first snapshot, by the last one.
  fileprivate func hasSeen(_ sight: Observation) -> Bool {
    switch sight.source {
    case .snapshot: first.number < sight.id.number && sight.id.number <= last.number
    case .event: first.endedAt < sight.by && sight.by <= last.endedAt
    }
  }
}

extension LossCause {
  /// The cause in a list of those who left.
  var words: String {
    switch self {
    case .unfollowed: "unfollowed"
    case .blockedBy: "blocks the account"
    case .blocking: "hidden by your own block"
    case .deleted: "account deleted"
    case .deactivated: "account deactivated"
    case .suspended: "account suspended"
    case .removed: "removed"
    case .unknown: "unknown"
    }
  }
}
