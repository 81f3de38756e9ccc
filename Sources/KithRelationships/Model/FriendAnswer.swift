// SPDX-License-Identifier: Apache-2.0

public import KithCore
internal import KithCrypto
internal import KithLexicons

/// The acceptance of one version of a request, as a record of the lexicon `org.kith.temp.graph.friendAnswer` in the
/// repository of the account that was asked. A refusal is never written.
public struct FriendAnswer: Sendable, Hashable {
  /// The version of the request that is accepted.
  package let request: RecordVersion
  /// When it was written, as its author claims.
  public let createdAt: Datetime
  /// The record.
  public let uri: ATURI

  /// The account that asked.
  package var requester: DID? {
    if case .did(let requester) = request.uri.authority { requester } else { nil }
  }

  /// The collection of the records: `org.kith.temp.graph.friendAnswer`.
  public static let collection = Record.nsid

  private typealias Record = Org.Kith.Temp.Graph.FriendAnswer

  /// Reads a record strictly; nil unless it is an answer of its lexicon, under the key that follows from the request.
  package init?(_ value: DataValue, of account: DID, at rkey: RecordKey) {
    guard let record = try? value.decode(Record.self), (try? record.validate()) != nil,
      value.type == Self.collection.description
    else { return nil }
    request = RecordVersion(uri: record.request.uri, cid: record.request.cid)
    guard rkey == Self.key(accepting: request) else { return nil }
    createdAt = record.createdAt
    uri = ATURI(authority: .did(account), collection: Self.collection, recordKey: rkey)
  }

  /// The key of the answer to a version of a request: the multibase text of the SHA-256 hash of its URI, a line feed and
  /// its CID. A single lookup tells whether that exact version was accepted.
  package static func key(accepting request: RecordVersion) -> RecordKey? {
    RecordKey(Base32.encode(SHA256.hash(of: Array("\(request.uri)\n\(request.cid)".utf8))))
  }

  /// The record that accepts a version of a request.
  package static func record(accepting request: RecordVersion, at moment: Datetime) -> DataValue {
    [
      "$type": .string(collection.description), "createdAt": .string(moment.description),
      "request": request.value,
    ]
  }

  /// Whether it accepts a request: this version, and no later than the request allows.
  package func accepts(_ request: FriendRequest) -> Bool {
    self.request == request.version && uri.authority == .did(request.subject)
      && request.isOpen(at: createdAt.instant)
  }
}
