// SPDX-License-Identifier: Apache-2.0

internal import KithClient
public import KithCore

/// One record of a listing, valid or malformed.
package enum RecordRow<Record: LexiconRecord>: Sendable, Hashable {
  /// A record that matches its lexicon.
  case record(RecordKey, Record)
  /// A record that does not, or that does not belong to the listing.
  case malformed(MalformedRecord)

  /// The record key, if there is one.
  package var rkey: RecordKey? {
    switch self {
    case .record(let rkey, _): rkey
    case .malformed(let record): record.rkey
    }
  }
}

/// A record that cannot be read, because of its author or of its server.
public struct MalformedRecord: CodedError {
  public static let domain = "record"

  /// The URI as the server sent it, truncated to 256 bytes; empty if there was none.
  public let uri: String
  /// The record key; nil if the URI is not one of the requested collection.
  public let rkey: RecordKey?
  /// The value, without what is not valid in the data model.
  public let value: DataValue?
  /// What is wrong with the record.
  public let reason: String

  package init(uri: String, rkey: RecordKey?, value: DataValue?, reason: String) {
    self.uri = uri
    self.rkey = rkey
    self.value = value
    self.reason = reason
  }

  public var code: InvalidValueCode { .invalid }
  /// The URI.
  public var subject: String { uri }
  /// The reason.
  public var detail: String { reason }
  public var errorDescription: String? { "A record cannot be read." }

  public static func == (one: Self, other: Self) -> Bool {
    one.uri == other.uri && one.rkey == other.rkey && one.value == other.value && one.reason == other.reason
  }

  /// Whether another app's record is about something other than an account.
  package func isAboutSomethingElse(in kind: EdgeKind) -> Bool {
    kind.isOfOtherApp && value?["subject"]?.string != nil
  }
}

/// The malformed records of a collection: their number, and the first of them.
public struct MalformedRecords: Sendable, Hashable {
  /// The most records kept; a server may have any number.
  package static let mostKept = 100

  /// The first malformed records, without their values.
  public private(set) var first: [MalformedRecord] = []
  /// The total number.
  public private(set) var count = 0

  /// Creates an empty collection.
  public init() {}

  /// Adds a record.
  package mutating func append(_ record: MalformedRecord) {
    count += 1
    guard first.count < Self.mostKept else { return }
    first.append(MalformedRecord(uri: record.uri, rkey: record.rkey, value: nil, reason: record.reason))
  }

  package static func + (some: Self, others: Self?) -> Self {
    var all = some
    all.first += others?.first.prefix(mostKept - all.first.count) ?? []
    all.count += others?.count ?? 0
    return all
  }
}

/// An answer of `com.atproto.repo.listRecords`, decoded record by record: a record that breaks its lexicon
/// does not affect the other 99.
struct RecordPage<Record: Decodable & Sendable>: Decodable {
  /// One record, or the error of decoding it.
  struct Row: Decodable {
    /// The URI as received; empty if there was none.
    let uri: String
    private let record: Result<Record, any Error>
    private let value: DataValue?

    private enum CodingKeys: CodingKey { case uri, value }

    init(from decoder: any Decoder) throws {
      do {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        uri = try container.decodeIfPresent(String.self, forKey: .uri) ?? ""
        do {
          record = .success(try container.decode(Record.self, forKey: .value))
          value = nil
        } catch {
          record = .failure(error)
          value = try? container.decode(ReadableValue.self, forKey: .value).value
        }
      } catch let error as DecodingError {
        (uri, record, value) = ("", .failure(error), nil)
      }
    }

    /// The record key, if the URI belongs to the requested collection.
    func rkey(in collection: NSID, of repository: DID) -> RecordKey? {
      guard let uri = ATURI(self.uri), uri.collection == collection, uri.authority == .did(repository) else {
        return nil
      }
      return uri.recordKey
    }

    /// The decoded record, if it is valid.
    var content: Record? { try? record.get() }
  }

  let rows: [Row]
  let cursor: String?

  private enum CodingKeys: String, CodingKey {
    case rows = "records"
    case cursor
  }
}

extension RecordPage.Row where Record: LexiconRecord {
  /// The record, checked against the requested repository.
  func row(of repository: DID) -> RecordRow<Record> {
    guard let rkey = rkey(in: Record.nsid, of: repository) else {
      let reason = "not a record of \(Record.nsid) in \(repository)"
      return .malformed(MalformedRecord(uri: shortURI, rkey: nil, value: value, reason: reason))
    }
    switch record {
    case .success(let record): return .record(rkey, record)
    case .failure(let error):
      let reason = "\(DecodingFault(error))"
      return .malformed(MalformedRecord(uri: shortURI, rkey: rkey, value: value, reason: reason))
    }
  }

  private var shortURI: String { uri.shortened(toBytes: 256) }
}
