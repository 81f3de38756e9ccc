// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
package import KithHistory
import KithRelationships

extension Workspace {
  /// The history, created if needed.
  ///
  /// - Throws: what the stores throw.
  package func history() throws -> any HistoryStore {
    guard let store = try stores.history(.create) else { throw OperationError.noHistory }
    return store
  }

  /// The existing history.
  ///
  /// - Throws: ``OperationError`` `noHistory` if nothing was recorded yet; what the stores throw.
  package func historyToRead() throws -> any HistoryStore {
    guard let store = try stores.history(.leave) else { throw OperationError.noHistory }
    return store
  }

  /// The predicates of segments; empty if no text can name one.
  ///
  /// - Throws: as ``history()``; errors of the store.
  package func segments(namedIn texts: [String]) async throws -> [String: String] {
    guard texts.contains(where: { $0.lowercased().contains("segment") }),
      let history = try stores.history(.leave)
    else { return [:] }
    let segments = try await history.segments()
    return Dictionary(segments.map { ($0.name, $0.predicate) }) { first, _ in first }
  }

  /// The snapshot recorder. Only mutes are read as a viewer, because the AppView hides accounts that the
  /// viewer blocks.
  package func recorder(to store: any HistoryStore, as account: AuthorizedAccount?) -> SnapshotRecorder {
    SnapshotRecorder(
      listings(by: appview), own: account.map { listings(by: $0.appview, as: $0.did) }, store: store,
      names: names())
  }

  /// Resolves a name without a call: to a signed-in account, or by the names in the cache.
  ///
  /// - Throws: ``OperationError`` `notFound` if the handle was never seen here.
  package func storedAccount(named name: String?) async throws -> DID {
    switch try await actor(named: name) {
    case .did(let did): return did
    case .handle(let handle):
      let sessions = try sessions().store
      for did in try await sessions.accounts() where try await sessions.session(of: did)?.handle == handle {
        return did
      }
      if let did = await names().account(lastKnownAs: handle) { return did }
      throw OperationError.handleNotStored(handle)
    }
  }

  /// Resolves a name; if no server resolves a handle, to the account last seen with it.
  ///
  /// - Throws: as ``accounts(named:)``.
  package func account(everNamed name: String) async throws -> DID {
    do {
      return try await accounts(named: [name])[0]
    } catch let error as IdentityError {
      guard case .handle(let handle) = try await actor(named: name),
        let known = await names().account(lastKnownAs: handle)
      else { throw error }
      return known
    }
  }

  /// Resolves names to distinct accounts; `me` is the signed-in account.
  ///
  /// - Throws: ``OperationError`` or `InputError` for an invalid name; errors of handle resolution.
  public func accounts(named names: [String]) async throws -> [DID] {
    var actors: [ATIdentifier] = []
    for name in names { actors.append(try await actor(named: name)) }
    let handles = actors.compactMap { actor -> Handle? in
      if case .handle(let handle) = actor { handle } else { nil }
    }
    let found = handles.isEmpty ? [:] : try await identities.dids(of: handles)
    var accounts: [DID] = []
    var seen: Set<DID> = []
    for actor in actors {
      let account: DID
      switch actor {
      case .did(let did): account = did
      case .handle(let handle):
        guard let outcome = found[handle] else {
          throw OperationError.unresolvedHandle(handle)
        }
        account = try outcome.get()
      }
      if seen.insert(account).inserted { accounts.append(account) }
    }
    return accounts
  }
}
