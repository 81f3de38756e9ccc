// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// What became of one record in a commit, as whoever follows the repository learns it.
struct RecordChange: Sendable {
  let account: Int
  let collection: NSID
  let key: RecordKey
  /// What was there before.
  let former: DataValue?
  /// What is there now; nil for a record that is gone.
  let written: WrittenRecord?
  /// When it was committed, in microseconds since 1970.
  let moment: Int64
}

/// A record that was written, with its name by content.
struct WrittenRecord: Sendable, Hashable {
  let value: DataValue
  let cid: CID

  init(_ value: DataValue) {
    self.value = value
    cid = value.contentID
  }

  /// A record whose name by content is made up along with it.
  init(_ value: DataValue, cid: CID) {
    self.value = value
    self.cid = cid
  }
}

extension DataValue {
  /// A CID that equal values have and others have not.
  ///
  /// Made from the canonical JSON and not from DAG-CBOR with SHA-256, which is the matter of a repository's
  /// code: it tells versions of a record apart, and is no proof of its content.
  var contentID: CID {
    // A value of the data model always encodes, except for a link that nothing made here has.
    let json = (try? JSONCoding.encode(self)) ?? []
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325  // FNV-1a
    for byte in json { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return Identities.cid(seed: hash)
  }
}
