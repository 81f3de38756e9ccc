// SPDX-License-Identifier: Apache-2.0

public import KithCore
internal import KithCrypto
internal import KithLexicons

/// A request of one account to another, as a record of the lexicon `org.kith.temp.graph.friendRequest` in the
/// repository of the account that asks.
public struct FriendRequest: Sendable, Hashable {
  /// What is asked for.
  public enum Kind: String, Sendable, Hashable, CaseIterable, Codable {
    /// To be friends.
    case friend
    /// Leave to follow.
    case follow
  }

  /// The account that asks.
  public let requester: DID
  /// The account that is asked.
  public let subject: DID
  /// What is asked for.
  public let kind: Kind
  /// When it was written, as its author claims.
  public let createdAt: Datetime
  /// Until when it can be accepted; nil if it stays open.
  public let expiresAt: Datetime?
  /// This version of the record, which an answer names.
  package let version: RecordVersion

  /// The record. Its key is the DID of the account that is asked.
  public var uri: ATURI { version.uri }
  /// The CID of the record, computed from its content.
  public var cid: CID { version.cid }

  /// The collection of the records: `org.kith.temp.graph.friendRequest`.
  public static let collection = Record.nsid

  private typealias Record = Org.Kith.Temp.Graph.FriendRequest

  /// Reads a record strictly; nil unless it is a request of its lexicon, under the DID of its subject, and of a kind that
  /// Kith knows.
  ///
  /// What asks for something unknown must not be accepted as something else.
  package init?(_ value: DataValue, of requester: DID, at rkey: RecordKey) {
    guard let record = try? value.decode(Record.self), (try? record.validate()) != nil,
      record.hasOnlyReadable("expiresAt"),
      value.type == Self.collection.description, record.subject != requester,
      rkey == Self.key(to: record.subject), let kind = Kind(rawValue: record.kind.rawValue),
      let cid = CID(of: value)
    else { return nil }
    self.requester = requester
    self.kind = kind
    (subject, createdAt, expiresAt) = (record.subject, record.createdAt, record.expiresAt)
    let uri = ATURI(authority: .did(requester), collection: Self.collection, recordKey: rkey)
    version = RecordVersion(uri: uri, cid: cid)
  }

  /// Creates a request that was read before.
  package init(
    _ version: RecordVersion, from requester: DID, to subject: DID, kind: Kind, createdAt: Datetime,
    expiresAt: Datetime?
  ) {
    (self.version, self.requester, self.subject) = (version, requester, subject)
    (self.kind, self.createdAt, self.expiresAt) = (kind, createdAt, expiresAt)
  }

  /// The key of requests to an account: its DID; nil if that is not a legal record key, as a `did:web` with a port.
  public static func key(to subject: DID) -> RecordKey? { RecordKey(subject.description) }

  /// Whether it can still be accepted at a time. A request that was accepted before it ended stays accepted.
  package func isOpen(at moment: Instant) -> Bool { expiresAt.map { moment < $0.instant } ?? true }
}

/// An object with the properties as fields.
extension FriendRequest: Codable {
  private enum CodingKeys: CodingKey { case requester, subject, kind, createdAt, expiresAt, uri, cid }

  /// - Throws: `DecodingError`, also if the URI is not that of a request of these two accounts.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    let requester = try fields.decode(DID.self, forKey: .requester)
    let subject = try fields.decode(DID.self, forKey: .subject)
    let uri = try fields.decode(ATURI.self, forKey: .uri)
    guard uri.authority == .did(requester), uri.collection == Self.collection,
      let rkey = uri.recordKey, rkey == Self.key(to: subject)
    else {
      throw DecodingError.dataCorruptedError(
        forKey: .uri, in: fields, debugDescription: "not the URI of a request of these accounts")
    }
    self.init(
      RecordVersion(uri: uri, cid: try fields.decode(CID.self, forKey: .cid)), from: requester, to: subject,
      kind: try fields.decode(Kind.self, forKey: .kind),
      createdAt: try fields.decode(Datetime.self, forKey: .createdAt),
      expiresAt: try fields.decodeIfPresent(Datetime.self, forKey: .expiresAt))
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(requester, forKey: .requester)
    try fields.encode(subject, forKey: .subject)
    try fields.encode(kind, forKey: .kind)
    try fields.encode(createdAt, forKey: .createdAt)
    try fields.encodeIfPresent(expiresAt, forKey: .expiresAt)
    try fields.encode(uri, forKey: .uri)
    try fields.encode(cid, forKey: .cid)
  }
}

/// The content of a new request.
public struct FriendRequestDraft: Sendable, Hashable, Codable {
  /// What is asked for.
  public var kind: FriendRequest.Kind
  /// Until when it can be accepted; nil for no end.
  public var expiresAt: Datetime?

  /// Creates the content of a request.
  public init(_ kind: FriendRequest.Kind = .friend, expiresAt: Datetime? = nil) {
    (self.kind, self.expiresAt) = (kind, expiresAt)
  }

  /// The record.
  package func record(to subject: DID, at moment: Datetime) -> DataValue {
    var fields: DataObject = [
      "$type": .string(FriendRequest.collection.description), "subject": .string(subject.description),
      "kind": .string(kind.rawValue), "createdAt": .string(moment.description),
    ]
    fields["expiresAt"] = expiresAt.map { .string($0.description) }
    return .object(fields)
  }
}
