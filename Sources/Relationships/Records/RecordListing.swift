// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
public import ATProtoCore
internal import ATProtoLexicons

/// All records of one collection of a repository, page by page as they are wanted, up to 100 a call; nobody has
/// to be signed in.
///
/// In the order of the server: the reference PDS gives the newest key first, another the oldest, with pages that
/// overlap by a record, which is left out here. A record that is malformed is an element of its own. Throws
/// ``RepositoryError``: `refused` when there is no such repository (Q18), `invalidResponse` when the cursors go
/// in circles; `CancellationError` when the task is cancelled.
public struct RecordListing<Record: LexiconRecord>: AsyncSequence, Sendable {
  public typealias Element = RecordRow<Record>
  public typealias Failure = any Error

  /// The most records of one page, by the lexicon.
  package static var pageSize: Int { 100 }

  private let repository: DID
  private let client: XRPCClient
  private let mostPages: Int

  /// Lists by the client's service, the PDS of the repository. Nothing is asked yet.
  public init(_ type: Record.Type = Record.self, of repository: DID, client: XRPCClient) {
    self.init(of: repository, client: client, mostPages: PaginationGuard.mostPages)
  }

  init(of repository: DID, client: XRPCClient, mostPages: Int) {
    self.repository = repository
    self.client = client
    self.mostPages = mostPages
  }

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(repository: repository, client: client, mostPages: mostPages)
  }

  /// Asks for the next page when the last one is used up.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let repository: DID
    private let client: XRPCClient
    private var trail: PaginationGuard
    private var cursor: String?
    private var isAtEnd = false
    private var fault: RepositoryError?
    /// The addresses on the page before, which the next one may repeat.
    private var former: Set<String> = []
    private var rows: [RecordRow<Record>] = []
    private var position = 0

    init(repository: DID, client: XRPCClient, mostPages: Int) {
      self.repository = repository
      self.client = client
      trail = PaginationGuard(mostPages: mostPages)
    }

    public mutating func next() async throws -> RecordRow<Record>? {
      while position == rows.count {
        if let fault { throw fault }
        guard !isAtEnd else { return nil }
        take(try await page())
      }
      defer { position += 1 }
      return rows[position]
    }

    private func page() async throws -> RecordPage<Record> {
      typealias Method = Com.Atproto.Repo.ListRecords
      let parameters = Method.Parameters(
        repo: .did(repository), collection: Record.nsid, limit: pageSize, cursor: cursor)
      do {
        return try await client.query(Method.self, parameters, reading: RecordPage<Record>.self)
      } catch let error as XRPCError {
        throw RepositoryError(asking: error)
      }
    }

    private mutating func take(_ page: RecordPage<Record>) {
      let addresses = page.rows.map(\.uri)
      rows = page.rows.filter { !former.contains($0.uri) }.map { $0.row(of: repository) }
      position = 0
      former = Set(addresses)
      // A server that gives every page a cursor ends with an empty one (Q18).
      if addresses.isEmpty {
        isAtEnd = true
        return
      }
      switch trail.received(addresses, cursor: page.cursor) {
      case .next(let next): cursor = next
      case .end: isAtEnd = true
      // The page itself is good: only the way on from it is not.
      case .fault(let reason):
        let method = Com.Atproto.Repo.ListRecords.nsid
        fault = RepositoryError(.invalidResponse, detail: "\(method): cursor: \(reason)")
      }
    }
  }
}

extension RecordListing.AsyncIterator {
  private var pageSize: Int { RecordListing.pageSize }
}

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
public struct MalformedRecord: Sendable, Hashable {
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
