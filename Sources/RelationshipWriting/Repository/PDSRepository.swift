// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
public import ATProtoCore
internal import ATProtoLexicons
public import Relationships

/// A repository on the PDS of its account, and the AppView that the PDS speaks to on the account's behalf.
///
/// Takes whatever the server says about a commit for what it is worth: a refusal is certain, silence is not. See
/// ``Repository`` for what each function promises.
public struct PDSRepository: Repository {
  public let account: DID

  private let pds: XRPCClient
  private let appview: XRPCClient

  /// Writes to a repository.
  ///
  /// - Parameters:
  ///   - account: whose repository it is. Some servers take nothing else in its place (table of PDSes).
  ///   - pds: asks the account's PDS, signed in.
  ///   - appview: who keeps the account's mutes; nil for the AppView that the PDS has chosen.
  public init(account: DID, pds: XRPCClient, appview: ServiceReference? = nil) {
    self.account = account
    self.pds = pds
    var proxied = pds
    if let appview { proxied.configuration.proxy = appview }
    self.appview = proxied
  }

  // MARK: Writing

  /// Commits sent at most: a refusal may leave fewer writes to do, and so may the next one.
  private static let mostSends = 3

  public func commit(_ writes: [RecordWrite]) async throws {
    guard !writes.isEmpty else { return }
    guard writes.count <= RecordWrite.mostPerCommit else {
      throw RepositoryError(
        .tooLarge, detail: "\(writes.count) writes in one commit, \(RecordWrite.mostPerCommit) are allowed")
    }
    try Task.checkCancellation()
    var open = writes
    for _ in 0..<Self.mostSends {
      guard let refusal = try await send(open) else { return }
      open = try await rest(of: open, after: refusal)
      if open.isEmpty { return }
    }
    throw RepositoryError(
      .inDoubt, detail: "the repository changes while it is written to; ask it again what it holds")
  }

  /// Sends a commit, once.
  ///
  /// - Returns: nil when it has happened, or a refusal that may be about records that are there already, or
  ///   are not there any more.
  private func send(_ writes: [RecordWrite]) async throws(RepositoryError) -> XRPCError? {
    typealias Method = Com.Atproto.Repo.ApplyWrites
    let input = Method.Input(repo: .did(account), writes: writes.map(Method.Input.WritesElement.init))
    do {
      _ = try await pds.call(Method.self, NoParameters(), input: input)
      return nil
    } catch let error as XRPCError where error.mayConcernRecords(of: writes) {
      return error
    } catch {
      throw RepositoryError(changing: error, by: Method.nsid)
    }
  }

  public func settle(_ writes: [RecordWrite]) async throws -> Bool {
    let telling = writes.filter(\.makesRecord)
    guard !telling.isEmpty else {
      // A record that is there tells that the commit has not happened; one that is not may never have been.
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
    // Another record in the place of one of them was put there after the commit.
    return true
  }

  // MARK: Calls

  public func call(_ call: ViewerCall) async throws {
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
      // Cancelled from here on, it may have been made all the same.
      throw RepositoryError(changing: error, by: Method.nsid)
    }
  }

  // MARK: Reading

  /// By pages of a collection where that takes fewer calls than to ask for each record.
  public func records(_ names: Set<RecordName>) async throws -> [RecordName: DataValue] {
    try await RecordLookup(of: account, client: pds).records(names)
  }
}

/// What is left of a commit that a server refused for the sake of single records in it.
///
/// A commit with a key that is in use, or with the removal of a record that is not there, fails as a whole: with
/// 500 at the reference PDS, with 400 at others (table of PDSes). Both may be the trace of an earlier, identical
/// commit whose answer was lost, or of somebody else who removed the record. So the records are asked for.
extension PDSRepository {
  /// How a write stands to what the repository holds.
  enum WriteState: Sendable, Equatable {
    /// What it is to bring about is so.
    case done
    /// It is still to be done.
    case open
    /// Another record has the key of the one that it is to make.
    case taken
  }

  /// The writes that are still to be done; none when all has happened.
  ///
  /// - Throws: ``RepositoryError`` `refused` when it is not the records' fault; `taken` when one has a key that is
  ///   to be used; `inDoubt` when the server failed and nothing shows why, or does not tell what it holds.
  func rest(of writes: [RecordWrite], after refusal: XRPCError) async throws -> [RecordWrite] {
    let states: [WriteState]
    do {
      // No record speaks for another: those of an earlier commit that came late may be among them.
      states = try await self.states(of: writes)
    } catch {
      let reason = error is CancellationError ? "the asking was cancelled" : "\(error)"
      throw RepositoryError(
        .inDoubt, detail: "\(refusal); what the repository holds could not be learned: \(reason)",
        underlying: refusal)
    }
    if let taken = zip(writes, states).first(where: { $1 == .taken }) {
      throw RepositoryError(takenBy: taken.0, underlying: refusal)
    }
    let rest = zip(writes, states).filter { $1 == .open }.map(\.0)
    guard rest.count < writes.count else { throw RepositoryError(changing: refusal, by: refusal.method) }
    return rest
  }

  /// Holds each write against what the repository has, in their order.
  func states(of writes: [RecordWrite]) async throws -> [WriteState] {
    let found = try await records(Set(writes.map(\.name)))
    return writes.map { state(of: $0, beside: found[$0.name]) }
  }

  private func state(of write: RecordWrite, beside found: DataValue?) -> WriteState {
    switch write.action {
    case .create(let value): found.map { write.says(value, as: $0) ? .done : .taken } ?? .open
    case .update(let value, former: _):
      found.map { write.says(value, as: $0) } == true ? .done : .open
    case .delete: found == nil ? .done : .open
    }
  }
}

extension PDSRepository {
  public func list(_ collection: NSID, _ take: (RecordKey, RecordEdge?) -> Void) async throws {
    typealias Graph = App.Bsky.Graph
    switch collection {
    case .follow: try await list(Graph.Follow.self, take)
    case .block: try await list(Graph.Block.self, take)
    case .listblock: try await list(Graph.Listblock.self, take)
    case .listitem: try await list(Graph.Listitem.self, take)
    default: throw RepositoryError(.refused, detail: "the records of \(collection) are no edges")
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
