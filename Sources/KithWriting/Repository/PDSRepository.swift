// SPDX-License-Identifier: Apache-2.0

package import KithClient
package import KithCore
internal import KithLexicons
package import KithRelationships

/// A repository on the account's PDS, and the AppView that the PDS calls on the account's behalf.
///
/// A refusal by the server is certain; a missing answer leaves the outcome in doubt. See ``Repository`` for
/// the contract of each function.
package struct PDSRepository: Repository {
  package let account: DID

  let pds: XRPCClient
  private let appview: XRPCClient
  /// The own records, which commits carry on.
  package let ownRecords: OwnRecords
  package var server: String { "\(pds.service)" }
  package var comparesCommits: Bool { get async { await ownRecords.comparesCommits } }
  /// The files that records to be written name. A server deletes those that no record names in time.
  private let files: [RecordFile]

  /// Creates a client for a repository.
  ///
  /// - Parameters:
  ///   - account: the owner of the repository. Some servers do not accept its handle instead (table of
  ///     PDSes).
  ///   - pds: a signed-in client for the account's PDS.
  ///   - appview: the AppView that stores the account's mutes; nil for the one that the PDS has chosen.
  ///   - records: the own records, which commits carry on; nil to keep them in memory.
  ///   - files: the files that records to be written name, to upload them again.
  package init(
    account: DID, pds: XRPCClient, appview: ServiceReference? = nil, records: OwnRecords? = nil,
    files: [RecordFile] = []
  ) {
    self.files = files
    self.account = account
    self.pds = pds
    ownRecords = records ?? OwnRecords(of: account, client: pds)
    var proxied = pds
    if let appview { proxied.configuration.proxy = appview }
    self.appview = proxied
  }

  // MARK: Writing

  /// The most commits sent for one call: after a refusal, the remaining writes are sent again.
  private static let mostSends = 3

  package func commit(
    _ writes: [RecordWrite], after basis: RepositoryCommit?, learning learn: (RecordName, RecordKey) -> Void
  ) async throws -> RepositoryCommit? {
    guard !writes.isEmpty else { return basis }
    guard writes.count <= RecordWrite.mostPerCommit else {
      throw RepositoryError(
        .tooLarge, detail: "\(writes.count) writes in one commit; the limit is \(RecordWrite.mostPerCommit)")
    }
    let (commit, keys) = try await ownRecords.inTurn { try await commitNow(writes, after: basis) }
    for (name, key) in keys { learn(name, key) }
    return commit
  }

  private func commitNow(
    _ writes: [RecordWrite], after basis: RepositoryCommit?
  ) async throws -> (commit: RepositoryCommit?, keys: [RecordName: RecordKey]) {
    var latest = basis
    if let basis { latest = await ownRecords.own(after: basis) }
    var open = writes
    for _ in 0..<Self.mostSends {
      switch try await send(open, after: latest) {
      case .done(let commit, let keys): return (commit, keys)
      case .refused(let refusal): open = try await rest(of: open, after: refusal)
      }
      if open.isEmpty { return (nil, [:]) }
    }
    throw RepositoryError(
      .inDoubt, detail: "the repository changed while it was written to; read it again")
  }

  /// The outcome of sending a commit once.
  private enum Sent {
    /// It took effect as this commit; nil if others may have come in between. The server gave keys of its own to
    /// some records.
    case done(RepositoryCommit?, keys: [RecordName: RecordKey] = [:])
    /// It was refused, perhaps because of records that exist already, or are gone.
    case refused(XRPCError)
  }

  /// Sends a commit once, or twice if the server turns out not to compare commits.
  ///
  /// - Parameter uploads: whether files that the server has not any more are uploaded again.
  private func send(
    _ writes: [RecordWrite], after basis: RepositoryCommit?, uploads: Bool = true
  ) async throws -> Sent {
    typealias Method = Com.Atproto.Repo.ApplyWrites
    let isCompared = await comparesCommits
    if let basis, !isCompared { try await confirm(basis) }
    let swap = isCompared ? basis : nil
    let input = Method.Input(
      repo: .did(account), writes: writes.map(Method.Input.WritesElement.init), swapCommit: swap?.cid)
    let answer: Method.Output
    do {
      answer = try await pds.call(Method.self, NoParameters(), input: input)
    } catch let error as XRPCError where uploads && error.saysBlobNotFound && !files.isEmpty {
      try await uploadAgain(after: error)
      return try await send(writes, after: basis, uploads: false)
    } catch let error as XRPCError {
      if let swap {
        if error.refusesToCompare {
          await ownRecords.cannotCompareCommits()
          return try await send(writes, after: basis, uploads: uploads)
        }
        if await isOutdated(swap, after: error) { throw RepositoryError(outdatedBy: error) }
      }
      if error.mayConcernRecords(of: writes) { return .refused(error) }
      throw error.method == Method.nsid
        ? RepositoryError(refusing: writes, error) : RepositoryError(changing: error, by: Method.nsid)
    } catch {
      throw RepositoryError(changing: error, by: Method.nsid)
    }
    guard acknowledges(answer, writes) else {
      return .done(nil, keys: try await readBack(writes, after: answer))
    }
    guard let basis, let made = answer.commit else { return .done(nil) }
    let commit = RepositoryCommit(cid: made.cid, revision: "\(made.rev)")
    let changes = writes.map(OwnRecordChange.init)
    guard isCompared else {
      let isAlone = await ownRecords.committed(changes, afterUncompared: basis, as: commit)
      return .done(isAlone ? commit : nil)
    }
    await ownRecords.committed(changes, after: basis, as: commit)
    return .done(commit)
  }

  /// Uploads the files once more.
  ///
  /// - Throws: ``RepositoryError`` for the refused commit if that fails.
  private func uploadAgain(after refusal: XRPCError) async throws {
    for file in files {
      do { try await upload(file.bytes, as: file.blob) } catch {
        throw RepositoryError(changing: refusal, by: Com.Atproto.Repo.ApplyWrites.nsid)
      }
    }
  }

  /// Checks that a commit is still the latest one, for a server that does not do that itself.
  private func confirm(_ basis: RepositoryCommit) async throws {
    guard let latest = try await ownRecords.latestCommit(), latest != basis else { return }
    throw RepositoryError(.outdated, detail: "the repository has changed since it was read")
  }

  /// Whether a refused commit came after one of another app. Not every server says so by name (table of PDSes).
  private func isOutdated(_ basis: RepositoryCommit, after error: XRPCError) async -> Bool {
    if error.saysInvalidSwap { return true }
    guard error.code == .refused, [400, 409, 412].contains(error.status),
      RepositoryError(changing: error).code == .refused
    else { return false }
    // If that cannot be found out, the refusal counts as one of the writes.
    guard let latest = try? await ownRecords.latestCommit() else { return false }
    return latest != basis
  }

  package func resolveInDoubt(
    _ writes: [RecordWrite], learning learn: (RecordName, RecordKey) -> Void
  ) async throws -> Bool {
    let telling = writes.filter(\.makesRecord)
    guard !telling.isEmpty else {
      // An existing record proves that the commit did not take effect; a missing one may never have existed.
      return try await states(of: writes).allSatisfy { $0 == .done }
    }
    var states = try await states(of: telling)
    for (index, rkey) in try await keysGiven(to: telling, in: states) {
      states[index] = .done
      learn(telling[index].name, rkey)
    }
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

  /// The keys of records that were created, but not under the keys that were sent, by index.
  ///
  /// Such a record has exactly the value that was sent, with its date to the millisecond.
  private func keysGiven(
    to writes: [RecordWrite], in states: [WriteState]
  ) async throws -> [Int: RecordKey] {
    var missing: [Int: (collection: NSID, value: DataValue)] = [:]
    var wanted: [NSID: Set<String>] = [:]
    for (index, state) in states.enumerated() where state == .open {
      guard case .create(let value) = writes[index].action else { continue }
      missing[index] = (writes[index].collection, value)
      wanted[writes[index].collection, default: []].formUnion([value["subject"]?.string].compactMap(\.self))
    }
    guard !missing.isEmpty else { return [:] }
    var candidates: [NSID: [KeptRecord]] = [:]
    // Posts are many, and looking through all of them takes hundreds of calls; one just made is among the latest.
    let unlisted = Set(writes.filter { $0.edgeKind.map { $0.target == .post } ?? true }.map(\.collection))
    for collection in wanted.keys where unlisted.contains(collection) {
      candidates[collection] = try await RecordReader(of: account, client: pds).latest(in: collection)
    }
    let others = wanted.filter { candidates[$0.key] == nil }
    if !others.isEmpty {
      let answer = try await ownRecords.records(others.mapValues { .some(subjects: $0) })
      candidates.merge(answer.collections.mapValues(\.records)) { $1 }
    }
    let sent = Set(writes.map(\.name))
    var found: [NSID: [DataValue: RecordKey]] = [:]
    for (collection, records) in candidates {
      for record in records where !sent.contains(RecordName(record.rkey, in: collection)) {
        if let value = record.value(in: collection) { found[collection, default: [:]][value] = record.rkey }
      }
    }
    return missing.reduce(into: [:]) { keys, write in
      keys[write.key] = found[write.value.collection]?.removeValue(forKey: write.value.value)
    }
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

  /// Returns what is kept if it is current. Otherwise reads pages of a collection if that takes fewer calls than
  /// reading each record.
  package func records(_ names: Set<RecordName>) async throws -> [RecordName: DataValue] {
    if let kept = try await ownRecords.kept(names) { return kept }
    return try await read(names)
  }

  /// Reads records from the server.
  func read(_ names: Set<RecordName>) async throws -> [RecordName: DataValue] {
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
      let reason = error is CancellationError ? "cancelled" : "\(DecodingFault(error))"
      throw RepositoryError(
        .inDoubt, detail: "\(refusal); could not read the repository to check: \(reason)",
        underlying: refusal)
    }
    if let taken = zip(writes, states).first(where: { $1 == .taken }) {
      throw RepositoryError(takenBy: taken.0, underlying: refusal)
    }
    let remaining = zip(writes, states).filter { $1 == .open }.map(\.0)
    guard remaining.count < writes.count else { throw RepositoryError(refusing: writes, refusal) }
    return remaining
  }

  /// Compares each write with the repository, in order.
  func states(of writes: [RecordWrite]) async throws -> [WriteState] {
    let found = try await read(Set(writes.map(\.name)))
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
  package func list(
    _ wanted: [NSID: OwnRecordFilter], _ take: (NSID, RecordKey, RecordEdge?) -> Void
  ) async throws -> RepositoryCommit? {
    let reactions = wanted.filter { EdgeKind(of: $0.key)?.target == .post }
    let whole = wanted.filter { reactions[$0.key] == nil }
    let commit: RepositoryCommit?
    if whole.isEmpty {
      commit = try await ownRecords.latestCommit()
    } else {
      let answer = try await ownRecords.records(whole)
      for (collection, found) in answer.collections {
        for record in found.records { take(collection, record.rkey, RecordEdge(record, in: collection)) }
      }
      commit = answer.commit
    }
    for (collection, filter) in reactions {
      guard case .some(let posts, let keys) = filter else { continue }
      for (rkey, value) in try await self.reactions(
        in: collection, to: Set(posts.compactMap { ATURI($0) }), under: keys)
      {
        take(collection, rkey, RecordEdge(value, in: collection))
      }
    }
    return commit
  }

  /// The likes or reposts that can be found without reading all of them: the latest, those with the keys, and those that
  /// the AppView names.
  private func reactions(
    in collection: NSID, to posts: Set<ATURI>, under keys: Set<RecordKey>
  ) async throws -> [RecordKey: DataValue] {
    async let shown = reactionsShown(in: collection, to: posts)
    var found: [RecordKey: DataValue] = [:]
    let latest = posts.isEmpty ? [] : try await RecordReader(of: account, client: pds).latest(in: collection)
    for record in latest ?? [] { found[record.rkey] = record.value(in: collection) ?? .null }
    let missing = try await shown.union(keys).subtracting(found.keys)
    for (name, value) in try await read(Set(missing.map { RecordName($0, in: collection) })) {
      found[name.rkey] = value
    }
    return found
  }

  /// The keys of the own records that the AppView names for posts. It may lag behind (Q21).
  private func reactionsShown(in collection: NSID, to posts: Set<ATURI>) async throws -> Set<RecordKey> {
    let shown: [ReactedPost]
    do { shown = try await appview.posts(posts, reading: ReactedPost.self) } catch {
      throw RepositoryError(asking: error)
    }
    let areLikes = collection == EdgeKind.like.collection
    let records = shown.compactMap { areLikes ? $0.viewer?.like : $0.viewer?.repost }
    return Set(
      records.filter { $0.authority == .did(account) && $0.collection == collection }.compactMap(\.recordKey))
  }
}

/// The part of a post that is about the viewer's reactions.
private struct ReactedPost: Decodable {
  struct Viewer: Decodable { let like, repost: ATURI? }

  let viewer: Viewer?
}

extension XRPCError {
  /// Whether a record names a file that the server does not have.
  fileprivate var saysBlobNotFound: Bool { name?.rawValue == "BlobNotFound" }
}

extension OwnRecordChange {
  fileprivate init(_ write: RecordWrite) {
    switch write.action {
    case .create(let value), .update(let value, former: _):
      self.init(write.collection, write.rkey, value: value)
    case .delete: self.init(write.collection, write.rkey, value: nil)
    }
  }
}
