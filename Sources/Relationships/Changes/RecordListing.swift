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
  static var pageSize: Int { 100 }

  private let repository: DID
  private let client: XRPCClient
  private let mostPages: Int

  /// Lists by the client's service, the PDS of the repository. Nothing is asked yet.
  public init(_ type: Record.Type = Record.self, of repository: DID, client: XRPCClient) {
    self.init(of: repository, client: client, mostPages: CursorTrail.mostPages)
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
    private var trail: CursorTrail
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
      trail = CursorTrail(mostPages: mostPages)
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
