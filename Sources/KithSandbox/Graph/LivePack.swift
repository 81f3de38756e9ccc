// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// A starter pack as an AppView shows it: its record, and the list that it names.
struct LivePack: Sendable {
  let uri: ATURI
  let owner: Int
  let record: WrittenRecord
  /// The list of the accounts in the pack.
  let list: ATURI
  let indexedAt: Datetime

  /// Creates a starter pack from a record; nil if the record is not one.
  init?(_ change: RecordChange, uri: ATURI) {
    guard let record = change.written, let list = record.value["list"]?.string.flatMap({ ATURI($0) }) else {
      return nil
    }
    self.uri = uri
    self.record = record
    self.list = list
    owner = change.account
    indexedAt = Datetime(at: change.moment)
  }
}
