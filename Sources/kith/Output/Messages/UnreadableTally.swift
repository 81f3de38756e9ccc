// SPDX-License-Identifier: Apache-2.0

import KithRelationships

/// Reports unreadable records: the first hundred individually, then the number of the others.
///
/// A server can return any number of them, which would flood the terminal.
struct UnreadableTally {
  private static let mostTold = MalformedRecords.mostKept

  private let kind: Message.Unreadable
  private let say: (Message) -> Void
  private var count = 0

  init(_ kind: Message.Unreadable, say: @escaping (Message) -> Void = StandardError.say) {
    self.kind = kind
    self.say = say
  }

  /// Counts and reports one record.
  mutating func take(_ record: MalformedRecord) {
    count += 1
    if count <= Self.mostTold { say(.unreadable(kind, record.uri, record.reason)) }
  }

  /// Counts and reports all records of a collection, and finishes.
  mutating func take(_ records: MalformedRecords) {
    for record in records.first { take(record) }
    count = max(count, records.count)
    finish()
  }

  /// Reports how many records were not reported individually.
  func finish() {
    if count > Self.mostTold { say(.moreUnreadable(count - Self.mostTold)) }
  }
}
