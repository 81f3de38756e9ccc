// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import RelationshipStore
import Relationships

extension Wiring {
  /// The history of this user, which is made where there is none.
  ///
  /// - Throws: ``CommandFault`` where there is no place for it; `StoreError`.
  func history() throws -> any HistoryStore {
    SQLiteHistoryStore(try StoreDatabase(folder: try UserFolder.data.path(in: environment), .history))
  }

  /// The history of this user, to be read.
  ///
  /// - Throws: as ``history()``; ``CommandFault`` `notFound` where no snapshot was ever taken here.
  func historyToRead() throws -> any HistoryStore {
    guard try StoreFile.history.exists(in: try UserFolder.data.path(in: environment)) else {
      throw CommandFault(.notFound, .noHistory)
    }
    return try history()
  }

  /// The predicates that segments stand for; none where no text could name one.
  ///
  /// - Throws: as ``history()``, and what the store throws.
  func segments(namedIn texts: [String]) async throws -> [String: String] {
    guard texts.contains(where: { $0.lowercased().contains("segment") }),
      try StoreFile.history.exists(in: try UserFolder.data.path(in: environment))
    else { return [:] }
    let segments = try await history().segments()
    return Dictionary(segments.map { ($0.name, $0.predicate) }) { first, _ in first }
  }

  /// What takes snapshots, in nobody's name but for mutes: an AppView leaves out whom a viewer blocks.
  func recorder(to store: any HistoryStore, as account: AuthorizedAccount?) -> SnapshotRecorder {
    SnapshotRecorder(
      listings(by: appview), own: account.map { listings(by: $0.appview, as: $0.did) }, store: store)
  }

  /// The accounts that somebody names, each once; `me` is the signed-in account.
  ///
  /// - Throws: ``CommandFault`` or `InputError` for a text that names nobody; what keeps a handle from being resolved.
  func accounts(named names: [String]) async throws -> [DID] {
    var actors: [ATIdentifier] = []
    for name in names { actors.append(try await actor(named: name)) }
    let handles = actors.compactMap { actor -> Handle? in
      if case .handle(let handle) = actor { handle } else { nil }
    }
    let found = handles.isEmpty ? [:] : try await identities.dids(of: handles)
    var accounts: [DID] = []
    for actor in actors {
      let account: DID
      switch actor {
      case .did(let did): account = did
      case .handle(let handle):
        guard let outcome = found[handle] else {
          throw CommandFault(.unavailable, .unresolvedHandle(handle))
        }
        account = try outcome.get()
      }
      if !accounts.contains(account) { accounts.append(account) }
    }
    return accounts
  }
}
