// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
public import ATProtoCore
internal import ATProtoLexicons

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
      of: owner, client: client, mostPages: CursorTrail.mostPagesOfLists)
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
