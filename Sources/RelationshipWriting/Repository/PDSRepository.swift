// SPDX-License-Identifier: Apache-2.0

package import ATProtoClient
package import ATProtoCore
internal import ATProtoLexicons
package import Relationships

/// A repository on the account's PDS, and the AppView that the PDS calls on the account's behalf.
///
/// A refusal by the server is certain; a missing answer leaves the outcome in doubt. See ``Repository`` for
/// the contract of each function.
package struct PDSRepository: Repository {
  package let account: DID

  private let pds: XRPCClient
  private let appview: XRPCClient

  /// Creates a client for a repository.
  ///
  /// - Parameters:
  ///   - account: the owner of the repository. Some servers do not accept its handle instead (table of
  ///     PDSes).
  ///   - pds: a signed-in client for the account's PDS.
  ///   - appview: the AppView that stores the account's mutes; nil for the one that the PDS has chosen.
  package init(account: DID, pds: XRPCClient, appview: ServiceReference? = nil) {
    self.account = account
    self.pds = pds
    var proxied = pds
    if let appview { proxied.configuration.proxy = appview }
    self.appview = proxied
  }

  // MARK: Writing

  /// The most commits sent for one call: after a refusal, the remaining writes are sent again.
  private static let mostSends = 3

  package func commit(_ writes: [RecordWrite]) async throws {
    guard !writes.isEmpty else { return }
    guard writes.count <= RecordWrite.mostPerCommit else {
      throw RepositoryError(
        .tooLarge, detail: "\(writes.count) writes in one commit; the limit is \(RecordWrite.mostPerCommit)")
    }
    try Task.checkCancellation()
    var open = writes
    for _ in 0..<Self.mostSends {
      guard let refusal = try await send(open) else { return }
      open = try await rest(of: open, after: refusal)
      if open.isEmpty { return }
    }
    throw RepositoryError(
      .inDoubt, detail: "the repository changed while it was written to; read it again")
  }

  /// Sends a commit once.
  ///
  /// - Returns: nil if it took effect; a refusal that may be due to records that exist already, or are gone.
  private func send(_ writes: [RecordWrite]) async throws(RepositoryError) -> XRPCError? {
    typealias Method = Com.Atproto.Repo.ApplyWrites
    let input = Method.Input(repo: .did(account), writes: writes.map(Method.Input.WritesElement.init))
    let answer: Method.Output
    do {
      answer = try await pds.call(Method.self, NoParameters(), input: input)
    } catch let error as XRPCError where error.mayConcernRecords(of: writes) {
      return error
    } catch {
      throw RepositoryError(changing: error, by: Method.nsid)
    }
    if !acknowledges(answer, writes) { try await readBack(writes, after: answer) }
    return nil
  }

  package func settle(_ writes: [RecordWrite]) async throws -> Bool {
    let telling = writes.filter(\.makesRecord)
    guard !telling.isEmpty else {
      // An existing record proves that the commit did not take effect; a missing one may never have existed.
      return try await states(of: writes).allSatisfy { $0 == .done }
    }
    let states = try await states(of: telling)
    guard states.contains(.done) else {
      if let taken = zip(telling, states).first(where: { $1 == .taken }) {
        throw RepositoryError(takenBy: taken.0)
      }
      return false
    }
    if let missing = zip(telling, states).first(where: { $1 == .open }) {
      throw RepositoryError(
        .partial,
        detail: "\(missing.0.collection)/\(missing.0.rkey) is not as it was sent; others of its commit are")
    }
    // If another record is in the place of one of them, it was put there after the commit.
    return true
  }

  // MARK: Calls

  package func call(_ call: ViewerCall) async throws {
    typealias Graph = App.Bsky.Graph
    switch call {
    case .mute(let account, let scope):
      let input = Graph.MuteActor.Input(
        actor: .did(account), onlyReposts: scope == .reposts ? true : nil,
        onlyQuoteposts: scope == .quotes ? true : nil)
      try await self.call(Graph.MuteActor.self, input)
    case .unmute(let account):
      try await self.call(Graph.UnmuteActor.self, Graph.UnmuteActor.Input(actor: .did(account)))
    case .muteList(let list):
      try await self.call(Graph.MuteActorList.self, Graph.MuteActorList.Input(list: list))
    case .unmuteList(let list):
      try await self.call(Graph.UnmuteActorList.self, Graph.UnmuteActorList.Input(list: list))
    }
  }

  private func call<Method: XRPCProcedure>(
    _ method: Method.Type, _ input: Method.Input
  ) async throws where Method.Parameters == NoParameters {
    try Task.checkCancellation()
    do {
      _ = try await appview.call(method, NoParameters(), input: input, isIdempotent: true)
    } catch {
      // If it is cancelled from here on, the call may still have taken effect.
      throw RepositoryError(changing: error, by: Method.nsid)
    }
  }

  // MARK: Reading

  /// Reads pages of a collection if that takes fewer calls than reading each record.
  package func records(_ names: Set<RecordName>) async throws -> [RecordName: DataValue] {
    try await RecordLookup(of: account, client: pds).records(names)
  }
}

/// Handling of commits that a server refused because of single records.
///
/// A commit that uses an existing key, or deletes a missing record, fails as a whole: with 500 at the
/// reference PDS, with 400 at others (table of PDSes). The cause may be an earlier, identical commit whose
/// answer was lost, or a deletion by someone else. Therefore the records are read.
extension PDSRepository {
  /// How a write compares with the repository.
  enum WriteState: Sendable, Equatable {
    /// The desired state holds.
    case done
    /// It still has to be done.
    case open
    /// The key of the record to be created is taken by another record.
    case taken
  }

  /// Returns the writes that still have to be done; empty if everything is done.
  ///
  /// - Throws: ``RepositoryError``: `refused` if the records are not the cause; `taken` if a key to be used
  ///   is taken; `inDoubt` if the server failed without a visible cause, or the repository cannot be read.
  func rest(of writes: [RecordWrite], after refusal: XRPCError) async throws -> [RecordWrite] {
    let states: [WriteState]
    do {
      // Each record is checked, because an earlier commit with some of them may have arrived late.
      states = try await self.states(of: writes)
    } catch {
      let reason = error is CancellationError ? "cancelled" : "\(error)"
      throw RepositoryError(
        .inDoubt, detail: "\(refusal); could not read the repository to check: \(reason)",
        underlying: refusal)
    }
    if let taken = zip(writes, states).first(where: { $1 == .taken }) {
      throw RepositoryError(takenBy: taken.0, underlying: refusal)
    }
    let rest = zip(writes, states).filter { $1 == .open }.map(\.0)
    guard rest.count < writes.count else { throw RepositoryError(changing: refusal, by: refusal.method) }
    return rest
  }

  /// Compares each write with the repository, in order.
  func states(of writes: [RecordWrite]) async throws -> [WriteState] {
    let found = try await records(Set(writes.map(\.name)))
    return writes.map { state(of: $0, beside: found[$0.name]) }
  }

  func state(of write: RecordWrite, beside found: DataValue?) -> WriteState {
    switch write.action {
    case .create(let value): found.map { write.says(value, as: $0) ? .done : .taken } ?? .open
    case .update(let value, former: _):
      found.map { write.says(value, as: $0) } == true ? .done : .open
    case .delete: found == nil ? .done : .open
    }
  }
}

extension PDSRepository {
  package func list(_ collection: NSID, _ take: (RecordKey, RecordEdge?) -> Void) async throws {
    typealias Graph = App.Bsky.Graph
    switch collection {
    case .follow: try await list(Graph.Follow.self, take)
    case .block: try await list(Graph.Block.self, take)
    case .listblock: try await list(Graph.Listblock.self, take)
    case .listitem: try await list(Graph.Listitem.self, take)
    default: throw RepositoryError(.refused, detail: "\(collection) does not contain edges")
    }
  }

  private func list<Record: EdgeRecord>(
    _ type: Record.Type, _ take: (RecordKey, RecordEdge?) -> Void
  ) async throws {
    for try await row in RecordReader(of: account, client: pds).records(type) {
      guard let rkey = row.rkey else { continue }
      take(rkey, RecordEdge(row))
    }
  }
}
