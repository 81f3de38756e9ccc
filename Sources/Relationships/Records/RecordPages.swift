// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient
internal import ATProtoCore
internal import ATProtoLexicons

/// The pages of one collection of a repository, by `com.atproto.repo.listRecords`.
///
/// In the order of the server: the reference PDS gives the newest key first, another the oldest, with pages that
/// overlap by a record, which is left out here.
struct RecordPages<Record: Decodable & Sendable> {
  /// The most records of one page, by the lexicon.
  static var pageSize: Int { 100 }

  private let repository: DID
  private let collection: NSID
  private let client: XRPCClient
  private var trail: PaginationGuard
  private var cursor: String?
  /// Whether the last page was read: what follows is nil, or a fault.
  private(set) var isAtEnd = false
  private var fault: RepositoryError?
  /// The addresses on the page before, which the next one may repeat.
  private var former: Set<String> = []

  /// Lists by the client's service, the PDS of the repository. Nothing is asked yet.
  init(
    of repository: DID, in collection: NSID, client: XRPCClient, mostPages: Int = PaginationGuard.mostPages
  ) {
    self.repository = repository
    self.collection = collection
    self.client = client
    trail = PaginationGuard(mostPages: mostPages)
  }

  /// Asks for the next page; nil at the end.
  ///
  /// - Throws: ``RepositoryError``: `refused` when there is no such repository (Q18), `invalidResponse` when the
  ///   cursors go in circles; `CancellationError`.
  mutating func next() async throws -> [RecordPage<Record>.Row]? {
    if let fault { throw fault }
    return isAtEnd ? nil : take(try await page())
  }

  private func page() async throws -> RecordPage<Record> {
    typealias Method = Com.Atproto.Repo.ListRecords
    let parameters = Method.Parameters(
      repo: .did(repository), collection: collection, limit: Self.pageSize, cursor: cursor)
    do {
      return try await client.query(Method.self, parameters, reading: RecordPage<Record>.self)
    } catch let error as XRPCError {
      throw RepositoryError(asking: error)
    }
  }

  private mutating func take(_ page: RecordPage<Record>) -> [RecordPage<Record>.Row]? {
    let addresses = page.rows.map(\.uri)
    let rows = page.rows.filter { !former.contains($0.uri) }
    former = Set(addresses)
    // A server that gives every page a cursor ends with an empty one (Q18).
    if addresses.isEmpty {
      isAtEnd = true
      return nil
    }
    switch trail.received(addresses, cursor: page.cursor) {
    case .next(let next): cursor = next
    case .end: isAtEnd = true
    // The page itself is good: only the way on from it is not.
    case .fault(let reason):
      let method = Com.Atproto.Repo.ListRecords.nsid
      fault = RepositoryError(.invalidResponse, detail: "\(method): cursor: \(reason)")
    }
    return rows
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
