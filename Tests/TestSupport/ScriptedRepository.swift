// SPDX-License-Identifier: Apache-2.0

package import KithCore
package import KithRelationships
package import KithWriting

/// A repository in memory with scripted failures.
///
/// As on a real server, commits are atomic.
package final class ScriptedRepository: Repository {
  /// The fate of one commit or call.
  package enum Fate: Sendable {
    /// It takes effect, and the response says so.
    case happen
    /// It fails with this error, and nothing is written.
    case fail(RepositoryError)
    /// It takes effect, and the response is lost.
    case loseAnswer
    /// It does not take effect, and the response is lost.
    case loseRequest
    /// The response is lost; it takes effect after the repository was asked once whether it has.
    case comeLate
  }

  private struct State {
    var records: [String: DataValue] = [:]
    var calls: [ViewerCall] = []
    var commits: [[RecordWrite]] = []
    var questions = 0
    var listings: [NSID] = []
    var lookups: [Int] = []
    var late: [[RecordWrite]] = []
    var attempts = 0
    var fates: [Fate] = []
    var refused: Set<String> = []
    var mostWrites = Int.max
    var mostInTime = Int.max
    var settleFailures: [RepositoryError] = []
    var script: (@Sendable (Int) -> Fate)?
    var revision = 0
    var namesCommits = true
    var files: [CID: Result<[UInt8], RepositoryError>] = [:]
    var filesRead: [CID] = []
  }

  package let account: DID
  package var server: String { "https://pds.test" }
  package var comparesCommits: Bool { true }
  private let refusesExisting: Bool
  private let state = PosixMutex(State())

  /// Creates an empty repository.
  ///
  /// - Parameter refusesExisting: Whether it refuses to create an existing record and to delete an absent
  ///   one, like the lenient PDS of the table; otherwise both succeed, like on arroba.
  package init(account: DID = Accounts.did(0), refusesExisting: Bool = true) {
    self.account = account
    self.refusesExisting = refusesExisting
  }

  /// All records, by collection and key.
  package var records: [String: DataValue] { state.withLock(\.records) }
  /// The subjects of all records of a collection, unordered, one for each record.
  package func subjects(in collection: NSID = ChangeSamples.follows) -> [DID] {
    records.filter { $0.key.hasPrefix("\(collection)/") }.compactMap {
      $0.value["subject"]?.string.flatMap(DID.init)
    }
  }
  /// All calls that took effect, in order.
  package var calls: [ViewerCall] { state.withLock(\.calls) }
  /// The writes of each commit that took effect, in order.
  package var commits: [[RecordWrite]] { state.withLock(\.commits) }
  /// The number of requests.
  package var attempts: Int { state.withLock(\.attempts) }
  /// The collections that were listed, in order.
  package var listings: [NSID] { state.withLock(\.listings) }
  /// The number of records in each lookup.
  package var lookups: [Int] { state.withLock(\.lookups) }
  /// How often it was asked whether a commit has taken effect.
  package var questions: Int { state.withLock(\.questions) }

  /// Sets the fates of the next requests, in order.
  package func next(_ fates: Fate...) { state.withLock { $0.fates += fates } }
  /// Sets the fate of each request by the number of earlier ones; ``next(_:)`` takes precedence.
  package func always(_ script: @escaping @Sendable (Int) -> Fate) { state.withLock { $0.script = script } }
  /// Refuses everything about the record.
  package func refuse(_ write: RecordWrite) { state.withLock { _ = $0.refused.insert(Self.name(write)) } }
  /// The maximum number of writes per commit.
  package func accept(atMost writes: Int) { state.withLock { $0.mostWrites = writes } }
  /// Loses the response, without effect, if there are more writes than this.
  package func timeOut(above writes: Int) { state.withLock { $0.mostInTime = writes } }
  /// Fails the next queries with these errors, in order.
  package func failToSettle(_ errors: RepositoryError...) { state.withLock { $0.settleFailures += errors } }
  /// Adds a record, as another app would.
  package func put(_ value: DataValue?, at write: RecordWrite) {
    state.withLock {
      $0.records[Self.name(write)] = value
      $0.revision += 1
    }
  }
  /// Adds a file, or the error with which the question for it fails.
  package func put(_ file: Result<[UInt8], RepositoryError>, as ref: CID) {
    state.withLock { $0.files[ref] = file }
  }
  /// The files that were asked for, in order.
  package var filesRead: [CID] { state.withLock(\.filesRead) }

  package func file(_ file: Blob) async throws -> [UInt8]? {
    let found = state.withLock { state -> Result<[UInt8], RepositoryError>? in
      state.filesRead.append(file.ref)
      return state.files[file.ref]
    }
    return try found?.get()
  }

  /// Makes it a server that does not name its commits, and does not compare them.
  package func nameNoCommits() { state.withLock { $0.namesCommits = false } }
  /// The latest commit; nil if the server does not name it.
  package var head: RepositoryCommit? { state.withLock { Self.head($0) } }

  private static func head(_ state: State) -> RepositoryCommit? {
    let cid = CID("zScripted\(100_000_000 + state.revision)")
    return state.namesCommits ? cid.map { RepositoryCommit(cid: $0, revision: "\(state.revision)") } : nil
  }

  package func commit(
    _ writes: [RecordWrite], after basis: RepositoryCommit?, learning learn: (RecordName, RecordKey) -> Void
  ) async throws -> RepositoryCommit? {
    try state.withLock { state in
      Result<RepositoryCommit?, any Error> {
        let fate = Self.fate(&state)
        if let basis, Self.isKnown(basis), basis != Self.head(state) {
          throw RepositoryError(.outdated, detail: "the repository has changed")
        }
        if writes.count > state.mostInTime { throw Self.doubt }
        switch fate {
        case .fail(let error): throw error
        case .happen:
          try apply(writes, to: &state)
          return basis == nil ? nil : Self.head(state)
        case .loseAnswer:
          try? apply(writes, to: &state)
          throw Self.doubt
        case .loseRequest: throw Self.doubt
        case .comeLate:
          state.late.append(writes)
          throw Self.doubt
        }
      }
    }.get()
  }

  /// Whether a commit is one of this repository; a test may use the facts of another one.
  private static func isKnown(_ commit: RepositoryCommit) -> Bool { "\(commit.cid)".hasPrefix("zScripted") }

  package func resolveInDoubt(
    _ writes: [RecordWrite], learning _: (RecordName, RecordKey) -> Void
  ) async throws -> Bool {
    try state.withLock { state in
      Result<Bool, any Error> {
        state.questions += 1
        if !state.settleFailures.isEmpty { throw state.settleFailures.removeFirst() }
        if let taken = writes.first(where: { Self.isTaken($0, state) }) {
          throw RepositoryError(.taken, detail: "another record is under the key \(taken.rkey)")
        }
        let holds = writes.map { Self.holds($0, in: state) }
        let made = zip(writes, holds).filter { $0.0.makesRecord }.map(\.1)
        for late in state.late { try? apply(late, to: &state) }
        state.late = []
        if made.contains(true), made.contains(false) {
          throw RepositoryError(.partial, detail: "some of the records are there")
        }
        return made.isEmpty ? !holds.contains(false) : made.contains(true)
      }
    }.get()
  }

  package func call(_ call: ViewerCall) async throws {
    try state.withLock { state in
      Result<Void, any Error> {
        let fate = Self.fate(&state)
        if case .fail(let error) = fate { throw error }
        if case .loseRequest = fate { throw Self.doubt }
        state.calls.append(call)
        if case .loseAnswer = fate { throw Self.doubt }
      }
    }.get()
  }

  package func records(_ names: Set<RecordName>) async throws -> [RecordName: DataValue] {
    state.withLock { state in
      if !names.isEmpty { state.lookups.append(names.count) }
      return names.reduce(into: [:]) { $0[$1] = state.records["\($1)"] }
    }
  }

  package func list(
    _ wanted: [NSID: OwnRecordFilter], _ take: (NSID, RecordKey, RecordEdge?) -> Void
  ) async throws -> RepositoryCommit? {
    let (records, head) = state.withLock { state in
      state.listings += wanted.keys.sorted { "\($0)" < "\($1)" }
      return (state.records, Self.head(state))
    }
    for (collection, filter) in wanted {
      for (name, value) in records where name.hasPrefix("\(collection)/") {
        guard let rkey = RecordKey(String(name.dropFirst("\(collection)/".count))),
          filter.passes(KeptRecord(rkey, value, in: collection))
        else { continue }
        take(collection, rkey, RecordEdge(value, in: collection))
      }
    }
    return head
  }

  private func apply(_ writes: [RecordWrite], to state: inout State) throws {
    guard writes.count <= state.mostWrites else {
      throw RepositoryError(.tooLarge, detail: "Too many writes. Max: \(state.mostWrites)")
    }
    var records = state.records
    for write in writes {
      let name = Self.name(write)
      if state.refused.contains(name) { throw RepositoryError(.refused, detail: "Invalid record") }
      switch write.action {
      case .create(let value):
        if refusesExisting, records[name] != nil {
          throw RepositoryError(.refused, detail: "record already exists")
        }
        records[name] = value
      case .update(let value, _): records[name] = value
      case .delete:
        if refusesExisting, records[name] == nil {
          throw RepositoryError(.refused, detail: "no such record")
        }
        records[name] = nil
      }
    }
    state.records = records
    state.commits.append(writes)
    state.revision += 1
  }

  private static func isTaken(_ write: RecordWrite, _ state: State) -> Bool {
    guard case .create(let value) = write.action, let present = state.records[name(write)] else {
      return false
    }
    return present != value
  }

  private static func holds(_ write: RecordWrite, in state: State) -> Bool {
    let present = state.records[name(write)]
    return switch write.action {
    case .create(let value), .update(let value, _): present == value
    case .delete: present == nil
    }
  }

  private static func fate(_ state: inout State) -> Fate {
    state.attempts += 1
    if !state.fates.isEmpty { return state.fates.removeFirst() }
    return state.script?(state.attempts - 1) ?? .happen
  }

  private static func name(_ write: RecordWrite) -> String { "\(write.collection)/\(write.rkey)" }

  private static let doubt = RepositoryError(.inDoubt, detail: "the connection was lost")
}

extension Repository {
  /// Makes a commit that depends on nothing.
  @discardableResult
  package func commit(_ writes: [RecordWrite]) async throws -> RepositoryCommit? {
    try await commit(writes, after: nil)
  }
}

extension RecordWrite {
  fileprivate var makesRecord: Bool { if case .delete = action { false } else { true } }
}
