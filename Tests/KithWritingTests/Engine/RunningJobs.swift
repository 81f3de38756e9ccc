// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport

@testable import KithRelationships
@testable import KithWriting

/// An in-memory journal and the repository of one account, with everything that runs jobs between them.
struct RunningJobs {
  let repository: ScriptedRepository
  let journal = InMemoryJobStore()
  let clock: ManualClock
  let time: TimeSource
  /// What all tests of an account's records need before changes are planned.
  let pds: PDSDouble

  /// - Parameters:
  ///   - refusesExisting: as in ``ScriptedRepository``.
  ///   - mode: what happens to sleepers.
  ///   - wall: the wall clock for a monotonic time; nil for one that advances with it.
  init(
    refusesExisting: Bool = true, mode: ManualClock.Mode = .skipping,
    wall: (@Sendable (Duration) -> Instant)? = nil
  ) {
    repository = ScriptedRepository(refusesExisting: refusesExisting)
    pds = PDSDouble()
    let clock = ManualClock(mode)
    self.clock = clock
    time = wall.map { wall in TimeSource(clock) { wall(clock.now.offset) } } ?? clock.timeSource()
  }

  func engine(_ repository: (any Repository)? = nil) throws -> ChangeEngine {
    let client = try pds.client(time)
    let source = ScriptedSource { actor, targets in ScriptedSource.follows(actor, targets) { _ in false } }
    return ChangeEngine(
      repository: repository ?? self.repository,
      facts: FactLoader(account: pds.account, pds: client, appview: client, relationships: source),
      journal: journal, keys: TIDClock(clockID: 1) { [time] in time.instant }, time: time)
  }

  func runner(_ options: JobOptions = .init(), on repository: (any Repository)? = nil) -> JobRunner {
    JobRunner(repository: repository ?? self.repository, store: journal, time: time, options: options)
  }

  func add(_ drafts: [JobItemDraft], title: String = "follow") async throws -> JobID {
    try await JobManager(journal: journal, time: time).add(
      JobDraft(account: repository.account, title: title), drafts
    ).id
  }

  /// The stamp of facts that are read now.
  func stamp() async throws -> FactsStamp {
    FactsStamp(revision: try await journal.revision(), readAt: time.now, commit: repository.head)
  }

  func items(of job: JobID) async throws -> [JobItem] {
    try await journal.items(of: job, in: Set(JobItemState.Kind.allCases), after: nil, most: .max)
  }

  func states(of job: JobID) async throws -> [JobItemState] { try await items(of: job).map(\.state) }
}

/// A repository whose commits wait at a gate before they are made.
struct GatedRepository: Repository {
  let base: ScriptedRepository
  let turnstile: Turnstile

  var account: DID { base.account }
  var server: String { base.server }
  var comparesCommits: Bool { true }

  func commit(
    _ writes: [RecordWrite], after basis: RepositoryCommit?, learning learn: (RecordName, RecordKey) -> Void
  ) async throws -> RepositoryCommit? {
    try await turnstile.pass { try await base.commit(writes, after: basis) }
  }
  func resolveInDoubt(
    _ writes: [RecordWrite], learning learn: (RecordName, RecordKey) -> Void
  ) async throws -> Bool { try await base.resolveInDoubt(writes, learning: learn) }
  func call(_ call: ViewerCall) async throws { try await base.call(call) }
  func records(_ names: Set<RecordName>) async throws -> [RecordName: DataValue] {
    try await base.records(names)
  }
  func list(
    _ wanted: [NSID: OwnRecordFilter], _ take: (NSID, RecordKey, RecordEdge?) -> Void
  ) async throws -> RepositoryCommit? {
    try await base.list(wanted, take)
  }
}

/// A repository that does something after each listing, before the listing is returned.
struct ListingRepository: Repository {
  let base: ScriptedRepository
  let then: @Sendable () async throws -> Void

  var account: DID { base.account }
  var server: String { base.server }
  var comparesCommits: Bool { true }

  func commit(
    _ writes: [RecordWrite], after basis: RepositoryCommit?, learning learn: (RecordName, RecordKey) -> Void
  ) async throws -> RepositoryCommit? {
    try await base.commit(writes, after: basis, learning: learn)
  }
  func resolveInDoubt(
    _ writes: [RecordWrite], learning learn: (RecordName, RecordKey) -> Void
  ) async throws -> Bool { try await base.resolveInDoubt(writes, learning: learn) }
  func call(_ call: ViewerCall) async throws { try await base.call(call) }
  func records(_ names: Set<RecordName>) async throws -> [RecordName: DataValue] {
    try await base.records(names)
  }
  func list(
    _ wanted: [NSID: OwnRecordFilter], _ take: (NSID, RecordKey, RecordEdge?) -> Void
  ) async throws -> RepositoryCommit? {
    let commit = try await base.list(wanted, take)
    try await then()
    return commit
  }
}

extension ChangeSamples {
  /// A record for the same account under another key, as another app would create it.
  static func otherRecord(_ number: Int) -> RecordWrite {
    var write = create(number)
    write.rkey = rkey(100_000 + number)
    return write
  }

  /// Deletes the follow with this number.
  static func unfollow(_ number: Int) -> ChangeStep {
    ChangeStep(subject: .account(Accounts.did(number)), action: .write([delete(number)]))
  }
}
