// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient
public import ATProtoCore

/// One record of a listing: sound, or told to be malformed.
public enum RecordRow<Record: LexiconRecord>: Sendable, Hashable {
  /// A record that fits its lexicon.
  case record(RecordKey, Record)
  /// One that does not, or that does not belong here.
  case malformed(MalformedRecord)

  /// Its key, where it has one.
  public var rkey: RecordKey? {
    switch self {
    case .record(let rkey, _): rkey
    case .malformed(let record): record.rkey
    }
  }
}

/// A record that somebody wrote, or a server told, in a form that cannot be read.
public struct MalformedRecord: Error, Sendable, Hashable {
  /// Its address as the server spelled it, cut after 256 bytes; empty where it spelled none.
  public let uri: String
  /// Its key; nil where the address is none within the collection that was asked for.
  public let rkey: RecordKey?
  /// What it says, where it is a value of the data model at all.
  public let value: DataValue?
  /// What is wrong with it.
  public let reason: String
}

/// The malformed records of a collection: how many there are, and the first of them.
public struct MalformedRecords: Sendable, Hashable {
  /// So many are kept: nobody reads more, and a server may have any number.
  public static let mostKept = 100

  /// The first ones, without what they say.
  public private(set) var first: [MalformedRecord] = []
  /// How many there are in all.
  public private(set) var count = 0

  /// None.
  public init() {}

  /// Takes one in.
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

/// An answer of `com.atproto.repo.listRecords`, read record by record: one that breaks its lexicon is a fault of
/// its own, and does not spoil the other 99.
struct RecordPage<Record: Decodable & Sendable>: Decodable {
  /// One record, or why it cannot be read.
  struct Row: Decodable {
    /// The address as it came; empty where none did.
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
          value = try? container.decode(DataValue.self, forKey: .value)
        }
      } catch let error as DecodingError {
        (uri, record, value) = ("", .failure(error), nil)
      }
    }

    /// Its key, where its address is one within the collection that was asked for.
    func rkey(in collection: NSID, of repository: DID) -> RecordKey? {
      guard let uri = ATURI(self.uri), uri.collection == collection, uri.authority == .did(repository) else {
        return nil
      }
      return uri.recordKey
    }

    /// What it says, where that can be read.
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
  /// The record as one of the repository that was asked for.
  func row(of repository: DID) -> RecordRow<Record> {
    guard let rkey = rkey(in: Record.nsid, of: repository) else {
      let reason = "it is none of \(Record.nsid) of \(repository)"
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
