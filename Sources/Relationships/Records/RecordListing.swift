// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
public import ATProtoCore

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
  package static var pageSize: Int { RecordPages<Record>.pageSize }

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
    private var pages: RecordPages<Record>
    private var rows: [RecordRow<Record>] = []
    private var position = 0

    init(repository: DID, client: XRPCClient, mostPages: Int) {
      self.repository = repository
      pages = RecordPages(of: repository, in: Record.nsid, client: client, mostPages: mostPages)
    }

    public mutating func next() async throws -> RecordRow<Record>? {
      while position == rows.count {
        guard let page = try await pages.next() else { return nil }
        rows = page.map { $0.row(of: repository) }
        position = 0
      }
      defer { position += 1 }
      return rows[position]
    }
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
