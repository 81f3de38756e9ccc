// SPDX-License-Identifier: Apache-2.0

internal import KithCore

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
  /// A CID that depends only on the value.
  ///
  /// It is computed from the canonical JSON, not from DAG-CBOR with SHA-256. It distinguishes versions of a
  /// record, but does not verify its content.
  var contentID: CID {
    // Encoding only fails for links of a kind that is never generated here.
    let json = (try? JSONCoding.encode(self)) ?? []
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325  // FNV-1a
    for byte in json { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return Identities.cid(seed: hash)
  }
}
