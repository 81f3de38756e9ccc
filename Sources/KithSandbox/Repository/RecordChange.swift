// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithCrypto

/// A change of one record in a commit, as a subscriber of the repository sees it.
struct RecordChange: Sendable {
  let account: Int
  let collection: NSID
  let key: RecordKey
  /// The previous content.
  let former: DataValue?
  /// The new content; nil for a deleted record.
  let written: WrittenRecord?
  /// When it was committed.
  let moment: Instant
}

/// A record with its CID.
struct WrittenRecord: Sendable, Hashable {
  let value: DataValue
  let cid: CID

  init(_ value: DataValue) {
    self.value = value
    cid = value.contentID
  }

  /// Creates a record with a generated CID.
  init(_ value: DataValue, cid: CID) {
    self.value = value
    self.cid = cid
  }
}

extension DataValue {
  /// Its CID. Every value that a server accepts has one.
  var contentID: CID { CID(of: self) ?? Identities.cid(seed: 0) }
}
