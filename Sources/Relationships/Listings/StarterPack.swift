// SPDX-License-Identifier: Apache-2.0

package import ATProtoClient
package import ATProtoCore
internal import ATProtoLexicons

/// A starter pack, as stored in its owner's repository.
package struct StarterPack: Sendable, Hashable {
  /// The record's URI.
  package let uri: ATURI
  package let name: String
  package let description: String?
  /// The list of recommended accounts. The record may name a list of any owner; see ``ownsList``.
  package let list: ATURI
  package let createdAt: Datetime

  /// The most accounts in a pack; the apps that create packs set this limit.
  package static let mostMembers = 150

  /// Whether the list belongs to the pack's owner, as in every pack created by an app.
  package var ownsList: Bool { list.authority == uri.authority && list.collection == .list }

  init(uri: ATURI, _ record: App.Bsky.Graph.Starterpack) {
    self.uri = uri
    name = record.name
    description = record.description
    list = record.list
    createdAt = record.createdAt
  }

  /// Reads a starter pack.
  ///
  /// - Parameter client: a client for the owner's PDS; it need not be signed in.
  /// - Returns: nil if the repository certainly has no such record.
  /// - Throws: ``RepositoryError``, `CancellationError`.
  package static func read(
    _ rkey: RecordKey, of owner: DID, client: XRPCClient
  ) async throws -> StarterPack? {
    let repository = RecordReader(of: owner, client: client)
    guard let value = try await repository.record(rkey, in: .starterpack) else { return nil }
    let uri = ATURI(authority: .did(owner), collection: .starterpack, recordKey: rkey)
    do {
      return StarterPack(uri: uri, try value.decode(App.Bsky.Graph.Starterpack.self))
    } catch {
      throw RepositoryError(
        .invalidResponse, detail: "\(uri) is not a valid starter pack: \(DecodingFault(error))",
        underlying: error)
    }
  }
}

extension RecordReader {
  /// The starter packs of the repository.
  ///
  /// - Returns: each pack, or a record that is not a valid pack. Throws like ``records(_:)``.
  package func starterPacks() -> some AsyncSequence<Result<StarterPack, MalformedRecord>, any Error>
    & Sendable
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
