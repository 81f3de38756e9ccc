// SPDX-License-Identifier: Apache-2.0

package import KithClient
package import KithCore
internal import KithLexicons

/// The records of an account's own repository, whole and current.
///
/// They are kept with the commit at which they were read. One call says whether that is still the latest commit; if
/// so, nothing is read. Own commits carry what is kept on to the next commit. After any other commit, and on servers
/// that do not tell their latest commit, the collections are read again.
package actor OwnRecords {
  /// What was read.
  package struct Answer: Sendable {
    /// A commit at or after which everything was read. If it is still the latest one, everything holds. Nil if the
    /// server does not say.
    package var commit: RepositoryCommit?
    /// The collections that were asked for.
    package var collections: [NSID: OwnCollection] = [:]

    /// Creates an empty answer.
    package init() {}
  }

  /// Own commits that are remembered.
  private static let mostSuccessors = 10_000

  /// The owner of the repository.
  package nonisolated let account: DID
  private let client: XRPCClient
  private var store: any OwnRecordStore
  private var tellsLatestCommit = true
  /// Whether the server makes a commit only if a given one is the latest; until it refuses, it is assumed to.
  package private(set) var comparesCommits = true
  /// For each own commit that followed a known one directly: the known one, and the own one.
  private var successors: [RepositoryCommit: RepositoryCommit] = [:]
  /// Where new records of the collections are listed that were read.
  private var ends: [NSID: CollectionEnd] = [:]
  /// What was read at a commit, until that commit is seen to be the latest one still: only then it can be kept.
  private var unconfirmed: Reading?
  /// Whether a caller reads or commits, and those that wait for that.
  private var isTaken = false
  private var turnsEnded = 0
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Creates a reader of an account's repository.
  ///
  /// - Parameters:
  ///   - client: a client for the account's PDS; it need not be signed in.
  ///   - store: where records are kept.
  package init(of account: DID, client: XRPCClient, store: any OwnRecordStore = InMemoryOwnRecordStore()) {
    self.account = account
    self.client = client
    self.store = store
  }

  /// Collections that were read after a commit.
  private struct Reading {
    let commit: RepositoryCommit
    let collections: [NSID: OwnCollection]
    let began: (steady: Duration, wall: Instant)
  }

  // MARK: Reading

  /// Returns the records of some collections.
  ///
  /// What has to be read is not compared with the latest commit again: a commit that follows on the one of the answer
  /// shows that everything holds, and then it is kept. If none is made, ``confirmReading()`` finds that out.
  ///
  /// - Parameter progress: called from time to time with the number of records read from the server.
  /// - Throws: ``RepositoryError``, `CancellationError`.
  package func records(
    _ wanted: [NSID: OwnRecordFilter], reading progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws -> Answer {
    let before = turnsEnded
    let (answer, missing) = try await current(wanted)
    if missing.isEmpty { return answer }
    return try await inTurn {
      var (answer, missing) = (answer, missing)
      // Another caller may have read it meanwhile, or an own commit has carried it on.
      if await turnsEnded != before { (answer, missing) = try await current(wanted) }
      if missing.isEmpty { return answer }
      let began = (steady: client.time.now, wall: client.time.instant)
      let read = try await Self.list(missing, of: account, client, progress)
      answer.collections.merge(read) { _, new in new }
      if let commit = answer.commit { await hold(Reading(commit: commit, collections: read, began: began)) }
      return answer
    }
  }

  /// Finds out whether what was read last still holds, so that it can be kept; one call, and none if that is known.
  package func confirmReading() async {
    // Without an answer, the collections are read again when they are needed.
    if unconfirmed != nil { _ = try? await latestCommit() }
  }

  private func hold(_ reading: Reading) { unconfirmed = reading }

  /// Keeps what was read last if it holds at the latest commit.
  private func settle(at latest: RepositoryCommit) async {
    guard let reading = unconfirmed else { return }
    unconfirmed = nil
    if reading.commit == latest { await keep(reading.collections, at: latest, readAt: reading.began) }
  }

  /// What is kept at the latest commit, and the collections that are not.
  private func current(
    _ wanted: [NSID: OwnRecordFilter]
  ) async throws -> (answer: Answer, missing: Set<NSID>) {
    var answer = Answer()
    answer.commit = try await latestCommit()
    if let commit = answer.commit { answer.collections = await kept(wanted, at: commit) }
    return (answer, Set(wanted.keys).subtracting(answer.collections.keys))
  }

  /// Runs a closure while no other caller of this function runs one: collections are read, and commits made, one
  /// after the other, because each commit has to follow on the one before.
  package func inTurn<Value: Sendable>(
    _ body: @Sendable () async throws -> Value
  ) async throws -> Value {
    if isTaken { await withCheckedContinuation { waiting.append($0) } }
    isTaken = true
    defer { endTurn() }
    try Task.checkCancellation()
    return try await body()
  }

  private func endTurn() {
    turnsEnded += 1
    // The turn is handed over: no other caller can come in between.
    if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
  }

  private func kept(
    _ wanted: [NSID: OwnRecordFilter], at commit: RepositoryCommit
  ) async -> [NSID: OwnCollection] {
    var found: [NSID: OwnCollection] = [:]
    for (collection, filter) in wanted {
      found[collection] = await store.collection(collection, of: account, at: commit, where: filter)
    }
    return found
  }

  private static func list(
    _ collections: Set<NSID>, of account: DID, _ client: XRPCClient,
    _ progress: @escaping @Sendable (Int) -> Void
  ) async throws -> [NSID: OwnCollection] {
    let tally = PosixMutex(0)
    let reader = RecordReader(of: account, client: client)
    return try await withThrowingTaskGroup(of: (NSID, OwnCollection).self) { group in
      for collection in collections {
        group.addTask {
          let whole = try await reader.collection(collection) { count in
            progress(
              tally.withLock { total in
                total += count
                return total
              })
          }
          return (collection, whole)
        }
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
  }

  private func keep(
    _ read: [NSID: OwnCollection], at commit: RepositoryCommit, readAt time: (steady: Duration, wall: Instant)
  ) async {
    for (collection, whole) in read { ends[collection] = CollectionEnd(of: whole, readAt: time) }
    // What cannot be kept as it is has to be read again.
    let sound = read.filter { $0.value.unreadable.count == 0 }.mapValues(\.records)
    if await store.keep(sound, of: account, at: commit) { return }
    store = InMemoryOwnRecordStore()
    _ = await store.keep(sound, of: account, at: commit)
  }

  /// The values of records, if they are kept at the latest commit; nil otherwise. Records that certainly do not exist
  /// are left out; one whose value is not valid in the data model is `null`.
  ///
  /// - Throws: ``RepositoryError``, `CancellationError`.
  package func kept(_ names: Set<RecordName>) async throws -> [RecordName: DataValue]? {
    let keys = Dictionary(grouping: names, by: \.collection).mapValues { Set($0.map(\.rkey)) }
    let held = Set(unconfirmed.map { Array($0.collections.keys) } ?? [])
    guard !names.isEmpty, await store.collections(of: account).union(held).isSuperset(of: keys.keys),
      let commit = try await latestCommit()
    else { return nil }
    let found = await kept(keys.mapValues { .some(keys: $0) }, at: commit)
    guard found.count == keys.count else { return nil }
    var values: [RecordName: DataValue] = [:]
    for (collection, whole) in found {
      for record in whole.records {
        values[RecordName(record.rkey, in: collection)] = record.value(in: collection) ?? .null
      }
    }
    return values.filter { names.contains($0.key) }
  }

  // MARK: Commits

  /// The latest commit of the repository; nil if the server does not say.
  ///
  /// - Throws: ``RepositoryError``, `CancellationError`.
  package func latestCommit() async throws -> RepositoryCommit? {
    typealias Method = Com.Atproto.Sync.GetLatestCommit
    guard tellsLatestCommit else { return nil }
    do {
      let answer = try await client.query(
        Method.self, Method.Parameters(did: account), reading: LatestCommit.self)
      let latest = RepositoryCommit(cid: answer.cid, revision: answer.rev)
      await settle(at: latest)
      return latest
    } catch let error as XRPCError
      where error.code == .refused || error.code == .invalidResponse || error.status == 501
    {
      let fault = RepositoryError(asking: error)
      if fault.code == .notAuthorized { throw fault }
      // If it is the repository that is missing, its records cannot be listed either.
      tellsLatestCommit = false
      return nil
    } catch let error as CancellationError {
      throw error
    } catch {
      throw RepositoryError(asking: error)
    }
  }

  /// Notes that the server does not compare commits.
  package func cannotCompareCommits() { comparesCommits = false }

  /// The commit that a known one has become by own commits alone.
  package func own(after commit: RepositoryCommit) -> RepositoryCommit {
    var commit = commit
    while let next = successors[commit] { commit = next }
    return commit
  }

  /// Carries on what is kept after an own commit that has followed a known one directly.
  package func committed(
    _ changes: [OwnRecordChange], after former: RepositoryCommit, as commit: RepositoryCommit
  ) async {
    guard former != commit else { return }
    await settle(at: former)
    if successors.count >= Self.mostSuccessors { successors = [:] }
    successors[former] = commit
    await store.apply(changes, to: account, from: former, to: commit)
  }

  /// Carries on what is kept after an own commit before which the server has compared nothing, so that another app
  /// may have come in between. What that has created is read; what it has deleted is found by the next whole reading,
  /// within ten minutes.
  ///
  /// - Returns: whether nothing but these changes is found. If there is more, or that cannot be found out, what was
  ///   read before is outdated.
  package func committed(
    _ changes: [OwnRecordChange], afterUncompared former: RepositoryCommit, as commit: RepositoryCommit
  ) async -> Bool {
    // The caller has just seen that the former commit was the latest one.
    await settle(at: former)
    // If one of these calls fails, the collections are read again when they are needed.
    guard let others = try? await changesOfOthers(beside: changes, since: former),
      (try? await latestCommit()) == commit
    else { return false }
    if others.isEmpty {
      await committed(changes, after: former, as: commit)
    } else {
      await store.apply(changes + others, to: account, from: former, to: commit)
    }
    return others.isEmpty
  }

  /// What other apps have created in the kept collections; nil if they have to be read whole.
  private func changesOfOthers(
    beside changes: [OwnRecordChange], since commit: RepositoryCommit
  ) async throws -> [OwnRecordChange]? {
    let reader = RecordReader(of: account, client: client)
    let own = Dictionary(grouping: changes, by: \.collection).mapValues { Set($0.compactMap(\.record)) }
    var others: [OwnRecordChange] = []
    for collection in await store.collections(of: account) {
      guard var end = ends[collection], let records = try await end.read(collection, with: reader) else {
        return nil
      }
      ends[collection] = end
      let keys = OwnRecordFilter.some(keys: Set(records.map(\.rkey)))
      guard let kept = await store.collection(collection, of: account, at: commit, where: keys) else {
        return nil
      }
      let known = own[collection, default: []].union(kept.records)
      for record in records where !known.contains(record) {
        guard let value = record.value(in: collection) else { return nil }
        others.append(OwnRecordChange(collection, record.rkey, value: value))
      }
    }
    return others
  }
}
