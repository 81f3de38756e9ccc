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

extension RecordReader {
  /// The starter packs of the repository.
  ///
  /// - Returns: each pack, or a record that is none although it should be. Throws as ``records(_:)``.
  public func starterPacks() -> some AsyncSequence<Result<StarterPack, MalformedRecord>, any Error> & Sendable
  {
    let repository = repository
    return records(App.Bsky.Graph.Starterpack.self, mostPages: PaginationGuard.mostPagesOfLists).map { row in
      switch row {
      case .malformed(let record): return .failure(record)
      case .record(let rkey, let record):
        let uri = ATURI(authority: .did(repository), collection: .starterpack, recordKey: rkey)
        return .success(StarterPack(uri: uri, record))
      }
    }
  }
}
