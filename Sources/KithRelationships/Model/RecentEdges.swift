// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// What an account's own programs did a short time ago to its follows and blocks of one other account.
package struct RecentEdges: Sendable, Hashable {
  /// What was done to the records of one collection; later changes take precedence.
  package struct Change: Sendable, Hashable {
    /// The record that was created last and not deleted since; nil if none is left.
    package private(set) var made: RecordKey?
    /// Records that were deleted.
    package private(set) var deleted: Set<RecordKey> = []
    /// Whether the answer to one of the changes was lost, so that it may not have happened.
    package private(set) var isInDoubt = false

    /// Creates a change without records.
    package init() {}

    /// Adds the creation of a record.
    package mutating func make(_ rkey: RecordKey, isInDoubt: Bool = false) {
      made = rkey
      deleted.remove(rkey)
      self.isInDoubt = self.isInDoubt || isInDoubt
    }

    /// Adds the deletion of a record.
    package mutating func delete(_ rkey: RecordKey, isInDoubt: Bool = false) {
      if made == rkey { made = nil }
      deleted.insert(rkey)
      self.isInDoubt = self.isInDoubt || isInDoubt
    }
  }

  /// Follows; nil if none changed.
  package var follow: Change?
  /// Blocks; nil if none changed.
  package var block: Change?

  /// Creates changes.
  package init(follow: Change? = nil, block: Change? = nil) {
    self.follow = follow
    self.block = block
  }
}

/// Knows what accounts did a short time ago, such as a journal of changes.
package protocol RecentChanges: Sendable {
  /// The accounts that have changed anything.
  func accounts() async throws -> Set<DID>

  /// What an account did to its edges with others; accounts without changes are left out.
  func edges(of account: DID, about others: [DID]) async throws -> [DID: RecentEdges]
}

extension RecentEdges.Change {
  /// The record that decides between this change and an answer; nil if they agree.
  ///
  /// - Parameter shown: the edge in the answer; a list in the place of a direct block (Q7) is not one.
  func decidingRecord(for shown: ATURI?, in collection: NSID) -> RecordKey? {
    let shownKey = shown.flatMap { $0.collection == collection ? $0.recordKey : nil }
    guard let made else { return shownKey }
    if shown == nil { return made }
    return shownKey.flatMap { deleted.contains($0) ? made : nil }
  }
}
