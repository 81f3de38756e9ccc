// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport

@testable import KithRelationships
@testable import KithWriting

/// A writer, the PDS that it writes to, and a service for an AppView that shows what the test specifies.
struct WriterScene {
  let clock = ManualClock(.skipping)
  let pds: PDSDouble
  let transport: ScriptedTransport
  let service: FollowRelationshipService
  let writer: RelationshipWriter
  /// The journal of taps and jobs.
  let journal = InMemoryJobStore()
  /// What the AppView shows of the account's own follows, by their records.
  let shown: PosixMutex<[DID: String]>

  /// - Parameters:
  ///   - turnstile: holds all calls to the PDS while it is closed.
  ///   - commits: holds only commits while it is closed.
  ///   - listings: holds listings after they were read, while it is closed.
  ///   - isDead: while it is true, the PDS does not answer reads of records.
  init(
    _ manner: PDSDouble.Manner = .reference, turnstile: Turnstile = Turnstile(), commits: Turnstile? = nil,
    listings: Turnstile? = nil,
    shown: [DID: String] = [:], muted: Bool? = nil, configuration: RelationshipWriter.Configuration = .init(),
    isDead: PosixMutex<Bool> = PosixMutex(false)
  ) throws {
    let pds = PDSDouble(manner)
    let table = PosixMutex(shown)
    let source = ScriptedSource { actor, targets in
      var findings: [DID: RelationshipFinding] = [:]
      for target in targets {
        let key = table.withLock { $0[target] }
        findings[target] = .known(
          RelationshipInfo(
            actor: actor, target: target, following: key.flatMap { ATURI("at://\(actor)/\($0)") },
            muted: muted, checkedAt: Datetime(at: 0), source: .appview))
      }
      return findings
    }
    let time = clock.timeSource()
    transport = ScriptedTransport(turnstile: turnstile) { request in
      let method = RequestQuery(request).method
      if method == "com.atproto.repo.getRecord", isDead.withLock({ $0 }) {
        throw TransportError(.timedOut, host: "pds.test")
      }
      if let listings, method == "com.atproto.repo.listRecords" {
        let answer = try pds.answer(request)
        return try await listings.pass { answer }
      }
      guard let commits, method == "com.atproto.repo.applyWrites" else { return try pds.answer(request) }
      return try await commits.pass { try pds.answer(request) }
    }
    let client = try pds.client(transport, time)
    service = FollowRelationshipService(
      source: source, identities: IdentityDirectory(client: client),
      configuration: .init(gatherWindow: .zero), time: time)
    let own = OwnRecords(of: pds.account, client: client)
    writer = RelationshipWriter(
      repository: PDSRepository(account: pds.account, pds: client, records: own),
      facts: FactLoader(
        account: pds.account, pds: client, appview: client, relationships: source, records: own),
      relationships: service, journal: journal,
      keys: TIDClock(clockID: 1) { time.instant },
      configuration: configuration, time: time)
    self.pds = pds
    self.shown = table
  }

  /// Runs a job of the same journal, as another part of the app would; nothing holds its calls.
  func run(_ drafts: [JobItemDraft], within limit: WriteLimit? = nil) async throws -> JobEnd {
    let time = clock.timeSource(wallAtZero: 1_760_000_000_000_000)
    let job = try await JobManager(journal: journal, time: time).add(
      JobDraft(account: me, title: "job", limit: limit), drafts)
    let runner = JobRunner(
      repository: PDSRepository(account: me, pds: try pds.client(time)), store: journal, time: time,
      options: JobOptions(stopsWhenShort: true, writesPerCommit: 1))
    return try await runner.run(job.id)
  }

  /// The removal of all follows of an account.
  func removal(of other: DID) -> JobItemDraft {
    let writes = pds.records.compactMap { name, value -> RecordWrite? in
      guard name.hasPrefix("\(NSID.follow)/"), value["subject"]?.string == "\(other)" else { return nil }
      return RecordKey(String(name.dropFirst("\(NSID.follow)/".count))).map {
        RecordWrite(collection: .follow, rkey: $0, action: .delete(former: value))
      }
    }
    return JobItemDraft(
      input: "\(other)", step: ChangeStep(subject: .account(other), action: .write(writes)))
  }

  /// The account.
  var me: DID { pds.account }

  func relationship(with other: DID) async throws -> RelationshipInfo {
    try await service.getRelationship(actor: me, target: other)
  }

  /// The records of a collection, as `collection/rkey`.
  func keys(_ collection: String) -> [String] {
    pds.records.keys.filter { $0.hasPrefix(collection + "/") }.sorted()
  }
}
