// SPDX-License-Identifier: Apache-2.0

import Relationships

/// Tells of records that cannot be read: of the first hundred one by one, then how many more there are.
///
/// A server can bring any number of them, and a terminal is lost under them.
struct UnreadableTally {
  private static let mostTold = MalformedRecords.mostKept

  private let kind: Message.Unreadable
  private let say: (Message) -> Void
  private var count = 0

  init(_ kind: Message.Unreadable, say: @escaping (Message) -> Void = StandardError.say) {
    self.kind = kind
    self.say = say
  }

  /// Counts one, and tells of it.
  mutating func take(_ record: MalformedRecord) {
    count += 1
    if count <= Self.mostTold { say(.unreadable(kind, record.uri, record.reason)) }
  }

  /// Takes all of a collection, and finishes.
  mutating func take(_ records: MalformedRecords) {
    for record in records.first { take(record) }
    count = max(count, records.count)
    finish()
  }

  /// Says how many were not told of.
  func finish() {
    if count > Self.mostTold { say(.moreUnreadable(count - Self.mostTold)) }
  }
}
