// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
public import ATProtoCore
internal import ATProtoLexicons

/// What a starter pack says about itself, as the repository of its owner holds it.
public struct StarterPack: Sendable, Hashable {
  /// Its address.
  public let uri: ATURI
  public let name: String
  public let description: String?
  /// The list of those whom it recommends: by its word, which may name any list of anybody. See ``ownsList``.
  public let list: ATURI
  public let createdAt: Datetime

  /// The most accounts of a pack, by the apps that make them.
  public static let mostMembers = 150

  /// Whether the list is one of the pack's own owner, as it is wherever an app has made the pack.
  public var ownsList: Bool { list.authority == uri.authority && list.collection == .list }

  init(uri: ATURI, _ record: App.Bsky.Graph.Starterpack) {
    self.uri = uri
    name = record.name
    description = record.description
    list = record.list
    createdAt = record.createdAt
  }

  /// Reads a starter pack.
  ///
  /// - Parameter client: asks the PDS of its owner; nobody has to be signed in.
  /// - Returns: nil when the repository certainly has none of that name.
  /// - Throws: ``RepositoryError``, `CancellationError`.
  public static func read(
    _ rkey: RecordKey, of owner: DID, client: XRPCClient
  ) async throws -> StarterPack? {
    let repository = RecordReader(of: owner, client: client)
    guard let value = try await repository.record(rkey, in: .starterpack) else { return nil }
    let uri = ATURI(authority: .did(owner), collection: .starterpack, recordKey: rkey)
    do {
      return StarterPack(uri: uri, try value.decode(App.Bsky.Graph.Starterpack.self))
    } catch {
      throw RepositoryError(
        .invalidResponse, detail: "\(uri) is no sound starter pack: \(DecodingFault(error))",
        underlying: error)
    }
  }
}

/// The starter packs of an account, as its repository holds them. Throws as ``RecordListing``.
public struct StarterPacks: AsyncSequence, Sendable {
  /// A starter pack, or a record that is none although it should be.
  public typealias Element = Result<StarterPack, MalformedRecord>
  public typealias Failure = any Error

  private let owner: DID
  private let client: XRPCClient

  /// Lists by the client's service, the PDS of the owner. Nothing is asked yet.
  public init(of owner: DID, client: XRPCClient) {
    self.owner = owner
    self.client = client
  }

  public func makeAsyncIterator() -> AsyncIterator {
    let packs = RecordListing<App.Bsky.Graph.Starterpack>(
      of: owner, client: client, mostPages: PaginationGuard.mostPagesOfLists)
    return AsyncIterator(owner: owner, rows: packs.makeAsyncIterator())
  }

  /// Asks for the next page when the last one is used up.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let owner: DID
    private var rows: RecordListing<App.Bsky.Graph.Starterpack>.AsyncIterator

    init(owner: DID, rows: RecordListing<App.Bsky.Graph.Starterpack>.AsyncIterator) {
      self.owner = owner
      self.rows = rows
    }

    public mutating func next() async throws -> Element? {
      switch try await rows.next() {
      case nil: return nil
      case .malformed(let record): return .failure(record)
      case .record(let rkey, let record):
        let uri = ATURI(authority: .did(owner), collection: .starterpack, recordKey: rkey)
        return .success(StarterPack(uri: uri, record))
      }
    }
  }
}
