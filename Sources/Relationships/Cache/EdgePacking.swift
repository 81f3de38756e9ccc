// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
internal import ATProtoLexicons

/// Packs the address of an edge's record into the 64 bits of its TID, where nothing gets lost by it.
struct EdgePacking: Sendable {
  private let collection: NSID
  /// What stands between the account and the record key.
  private let middle: String

  static let follow = EdgePacking(collection: App.Bsky.Graph.Follow.nsid)
  static let block = EdgePacking(collection: App.Bsky.Graph.Block.nsid)

  private init(collection: NSID) {
    self.collection = collection
    middle = "/\(collection)/"
  }

  /// The TID's bits, or nil where ``uri(of:key:)`` would not give the very same address.
  func key(of uri: ATURI, from owner: DID) -> UInt64? {
    let text = uri.description.utf8
    let tail = text.suffix(middle.utf8.count + 13)
    // An address has two slashes after its authority at most, so that these are both of them.
    guard tail.starts(with: middle.utf8), let tid = TID(String(Substring(tail.suffix(13)))),
      uri.authority == .did(owner)
    else { return nil }
    return tid.bits
  }

  /// The address of a record with this key in an account's repository.
  func uri(of owner: DID, key: UInt64) -> ATURI {
    ATURI(authority: .did(owner), collection: collection, recordKey: RecordKey(tid: TID(bits: key)))
  }
}
