// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithRelationships

/// A cache of one's own for the next launch: what was last known, in one file.
///
/// `FollowRelationshipService(source:cachePolicy:lastKnown:)` writes to it in the background, and shows what it has after
/// `restoreLastKnown()`. For many thousands of relationships take `LastKnownCache` of `KithStore`.
public actor LastKnownFile: LastKnownRelationships {
  private let file: URL
  private var known: [Set<DID>: RelationshipInfo] = [:]

  /// Reads what an earlier launch has left; a file that cannot be read is as good as none.
  public init(_ file: URL) {
    self.file = file
    let all = (try? JSONDecoder().decode([RelationshipInfo].self, from: Data(contentsOf: file))) ?? []
    for info in all { known[[info.actor, info.target]] = info }
  }

  public func relationships(checkedSince moment: Datetime, atMost count: Int) -> [RelationshipInfo] {
    let recent = known.values.filter { $0.checkedAt.instant >= moment.instant }
    return Array(recent.sorted { $0.checkedAt.instant > $1.checkedAt.instant }.prefix(count))
  }

  public func keep(_ relationships: [RelationshipInfo]) {
    for info in relationships {
      let pair: Set = [info.actor, info.target]
      if let earlier = known[pair], earlier.checkedAt.instant > info.checkedAt.instant { continue }
      known[pair] = info
    }
    write()
  }

  public func remove(_ pairs: [(DID, DID)]) {
    for (one, other) in pairs { known[[one, other]] = nil }
    write()
  }

  public func removeAll() {
    known = [:]
    write()
  }

  /// It is a cache: without it, the next launch asks again.
  private func write() {
    try? JSONEncoder().encode(Array(known.values)).write(to: file, options: .atomic)
  }
}
