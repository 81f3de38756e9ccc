// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

/// A list as an AppView shows it, from its record.
struct LiveList: Sendable {
  let uri: ATURI
  let cid: CID
  /// The account that owns the record.
  let owner: Int
  let name: String
  let purpose: App.Bsky.Graph.Defs.ListPurpose
  let description: String?
  let indexedAt: Datetime

  /// Creates a list from a record; nil if the record is not a list.
  init?(_ change: RecordChange, uri: ATURI) {
    guard let written = change.written, let name = written.value["name"]?.string,
      let purpose = written.value["purpose"]?.string
    else { return nil }
    self.uri = uri
    cid = written.cid
    owner = change.account
    self.name = name
    self.purpose = App.Bsky.Graph.Defs.ListPurpose(rawValue: purpose)
    description = written.value["description"]?.string
    indexedAt = Datetime(at: change.moment)
  }

  /// Whether it is a moderation list.
  var isModeration: Bool { purpose == .modlist }
}
