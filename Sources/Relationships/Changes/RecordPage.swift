// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient
internal import ATProtoCore

/// An answer of `com.atproto.repo.listRecords`, read record by record: one that breaks its lexicon is a fault of
/// its own, and does not spoil the other 99.
struct RecordPage<Record: LexiconRecord>: Decodable {
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

    /// The record as one of the repository that was asked for.
    func row(of repository: DID) -> RecordRow<Record> {
      guard let uri = ATURI(self.uri), uri.collection == Record.nsid, let rkey = uri.recordKey,
        uri.authority == .did(repository)
      else {
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

  let rows: [Row]
  let cursor: String?

  private enum CodingKeys: String, CodingKey {
    case rows = "records"
    case cursor
  }
}
