// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
public import ATProtoCore
internal import ATProtoLexicons

/// A repository on the PDS of its account, and the AppView that the PDS speaks to on the account's behalf.
///
/// Takes whatever the server says about a commit for what it is worth: a refusal is certain, silence is not. See
/// ``Repository`` for what each function promises.
public struct PDSRepository: Repository {
  public let account: DID

  let pds: XRPCClient
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

  public func record(_ rkey: RecordKey, in collection: NSID) async throws -> DataValue? {
    try await find(rkey, in: collection, reading: FoundRecord.self)?.value
  }

  /// Asks for a record, and reads as much of it as is wanted; nil when the repository says that it has none.
  func find<Found: RecordFinding>(
    _ rkey: RecordKey, in collection: NSID, reading: Found.Type
  ) async throws -> Found? {
    typealias Method = Com.Atproto.Repo.GetRecord
    let parameters = Method.Parameters(repo: .did(account), collection: collection, rkey: rkey)
    do {
      let found = try await pds.query(Method.self, parameters, reading: reading)
      guard found.uri.collection == collection, found.uri.recordKey == rkey else {
        throw RepositoryError(
          .invalidResponse, detail: "\(Method.nsid): asked was \(collection)/\(rkey), it is \(found.uri)")
      }
      return found
    } catch let error as XRPCError where error.saysNoSuchRecord {
      return nil
    } catch {
      if error is CancellationError { throw error }
      throw RepositoryError(asking: error)
    }
  }
}

/// As much of an answer of `com.atproto.repo.getRecord` as somebody wants to know.
protocol RecordFinding: Decodable, Sendable {
  var uri: ATURI { get }
}

/// That a record is there, be its value sound or not.
struct RecordPresence: RecordFinding {
  let uri: ATURI
}

/// A record and its value.
struct FoundRecord: RecordFinding {
  let uri: ATURI
  let value: DataValue
}
