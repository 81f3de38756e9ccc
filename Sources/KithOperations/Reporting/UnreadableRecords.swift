// SPDX-License-Identifier: Apache-2.0

import KithCore
package import KithRelationships

/// Reports records that cannot be read: the first individually, then the number of the others.
///
/// A server can return any number of them.
public final class UnreadableRecords: Sendable {
  /// What the records are.
  public enum Kind: Sendable {
    case list
    case member
    case ownRecord
    case starterPack
  }

  private static let mostNamed = MalformedRecords.mostKept

  private let kind: Kind
  private let note: @Sendable (Note) -> Void
  private let count = PosixMutex(0)

  package init(_ kind: Kind, _ note: @escaping @Sendable (Note) -> Void) {
    self.kind = kind
    self.note = note
  }

  /// Counts and reports one record.
  package func add(_ record: MalformedRecord) {
    let number = count.withLock { count in
      count += 1
      return count
    }
    if number <= Self.mostNamed { note(.unreadable(kind, record)) }
  }

  /// Counts and reports all records of a collection, and finishes.
  package func add(_ records: MalformedRecords) {
    for record in records.first { add(record) }
    count.withLock { $0 = max($0, records.count) }
    finish()
  }

  /// Reports how many records were not reported individually.
  package func finish() {
    let count = count.withLock(\.self)
    if count > Self.mostNamed { note(.moreUnreadable(count - Self.mostNamed)) }
  }
}
