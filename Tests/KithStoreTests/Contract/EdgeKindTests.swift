// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithWriting

/// Every kind of edge to an account is made, removed, undone and exported alike. A new kind is one value, and one row of
/// this table.
@Suite struct EdgeKindTests {
  private static let friend = EdgeKind(NSID("com.example.graph.friend") ?? .follow)
  private static let kinds = [EdgeKind.follow, .block, friend]
  private let account = Accounts.did(0)
  private let other = Accounts.did(1)

  struct Scene {
    let pds: PDSDouble
    let engine: ChangeEngine
    let client: XRPCClient

    init(_ account: DID, _ journal: any JobStore, at place: any JournalPlace) throws {
      pds = PDSDouble(account: account)
      client = try pds.client(place.time)
      let own = OwnRecords(of: account, client: client)
      let source = ScriptedSource { actor, targets in ScriptedSource.follows(actor, targets) { _ in false } }
      engine = ChangeEngine(
        repository: PDSRepository(account: account, pds: client, records: own),
        facts: FactLoader(
          account: account, pds: client, appview: client, relationships: source, records: own),
        journal: journal, keys: TIDClock(clockID: 1) { place.now }, time: place.time)
    }

    func perform(_ changes: ChangeIntent..., as verb: String = "edit") async throws -> JobID? {
      let requests = changes.map { ChangePlan.Request("\($0.title)", $0, isResolved: true) }
      let submission = try await engine.submit(requests, as: verb)
      guard let job = submission.job else { return nil }
      #expect(try await engine.run(job.id, plannedBy: submission.facts) == .done)
      return job.id
    }

    func undo(_ job: JobID) async throws {
      #expect(try await engine.run(try await engine.undo(job).job.id) == .done)
    }
  }

  private func scene(_ place: any JournalPlace) throws -> Scene {
    try Scene(account, try journal(place), at: place)
  }

  /// A file runs no jobs of kinds that it was not told.
  private func journal(_ place: any JournalPlace) throws -> any JobStore {
    guard let file = place as? TemporaryStore else { return try place.reopen() }
    return try file.open(busyTimeout: .seconds(10), kinds: [Self.friend])
  }

  private func subjects(_ pds: PDSDouble, _ kind: EdgeKind) -> [String] {
    pds.records.filter { $0.key.hasPrefix("\(kind.collection)/") }.values.compactMap { $0["subject"]?.string }
  }

  @Test(arguments: JournalUnderTest.all, kinds)
  func makesRemovesAndUndoes(_ journal: JournalUnderTest, _ kind: EdgeKind) async throws {
    let place = journal.makePlace()
    let scene = try scene(place)
    let edge = try #require(RecordEdge(kind, to: other))
    let made = try #require(try await scene.perform(.make(edge)))
    #expect(subjects(scene.pds, kind) == ["\(other)"])
    let record = try #require(scene.pds.records.first)
    #expect(record.value.type == "\(kind.collection)" && record.value["createdAt"] != nil)
    // It holds now.
    #expect(try await scene.perform(.make(edge)) == nil)
    let removed = try #require(try await scene.perform(.remove(edge)))
    #expect(scene.pds.records.isEmpty)
    #expect(try await scene.perform(.remove(edge)) == nil)
    // The record comes back as it was, and goes again with the job that made it.
    try await scene.undo(removed)
    #expect(scene.pds.records == [record.key: record.value])
    try await scene.undo(made)
    #expect(scene.pds.records.isEmpty)
  }

  @Test(arguments: JournalUnderTest.all, kinds)
  func removesEveryRecordOfTheEdge(_ journal: JournalUnderTest, _ kind: EdgeKind) async throws {
    let scene = try scene(journal.makePlace())
    let edge = try #require(RecordEdge(kind, to: other))
    for key in ["3a", "3b"] { scene.pds.put("\(kind.collection)", key, subject: other) }
    scene.pds.put("\(kind.collection)", "3c", subject: Accounts.did(2))
    let job = try #require(try await scene.perform(.remove(edge)))
    #expect(subjects(scene.pds, kind) == ["\(Accounts.did(2))"])
    try await scene.undo(job)
    #expect(subjects(scene.pds, kind).count == 3)
    _ = try await scene.perform(.deduplicate(edge))
    #expect(subjects(scene.pds, kind).sorted() == ["\(other)", "\(Accounts.did(2))"].sorted())
  }

  /// A block takes the follow with it, however it is asked for.
  @Test func aKindThatHasRulesKeepsThem() async throws {
    let scene = try scene(JournalUnderTest.all[1].makePlace())
    scene.pds.put("\(NSID.follow)", "3a", subject: other)
    _ = try await scene.perform(.make(try #require(RecordEdge(.block, to: other))))
    #expect(subjects(scene.pds, .follow).isEmpty && subjects(scene.pds, .block) == ["\(other)"])
    #expect(scene.pds.commits.count == 1)
    let list = try #require(ATURI("at://\(other)/app.bsky.graph.list/3l"))
    _ = try await scene.perform(.make(try #require(RecordEdge(.listblock, to: list))))
    #expect(subjects(scene.pds, .listblock) == ["\(list)"])
    _ = try await scene.perform(.remove(try #require(RecordEdge(.listblock, to: list))))
    #expect(subjects(scene.pds, .listblock).isEmpty)
  }

  /// Such as a poke: each record is one of its own.
  @Test func ofAKindThatIsNotUniqueThereMayBeSeveral() async throws {
    let scene = try scene(JournalUnderTest.all[1].makePlace())
    let poke = EdgeKind(Self.friend.collection, isUnique: false)
    let edge = try #require(RecordEdge(poke, to: other))
    for _ in 0..<2 { #expect(try await scene.perform(.make(edge)) != nil) }
    #expect(subjects(scene.pds, poke).count == 2)
    #expect(try await scene.perform(.deduplicate(edge)) == nil)
    _ = try await scene.perform(.remove(edge))
    #expect(subjects(scene.pds, poke).isEmpty)
  }

  /// As an export reads them, and an import makes them for another account.
  @Test(arguments: kinds) func isExportedAndImported(_ kind: EdgeKind) async throws {
    let scene = try scene(JournalUnderTest.all[1].makePlace())
    for number in 1..<4 { scene.pds.put("\(kind.collection)", "3a\(number)", subject: Accounts.did(number)) }
    scene.pds.put("\(kind.collection)", "3bad", subject: "absent")
    var exported: [PortableRelationship] = []
    var unreadable = 0
    for try await row in RecordReader(of: account, client: scene.client).edges(of: kind) {
      switch row {
      case .success(let found): exported.append(.edge(found.edge))
      case .failure: unreadable += 1
      }
    }
    #expect(exported.count == 3 && unreadable == 1)
    let target = try self.scene(JournalUnderTest.all[1].makePlace())
    let transfer = RelationshipTransfer(of: exported, to: account, owning: OwnLists()) {
      OwnList.uri(RecordKey(tid: TID(at: 0, clockID: 0)), of: account)
    }
    for relationship in exported {
      _ = try await target.perform(try #require(transfer.change(for: relationship)))
    }
    #expect(subjects(target.pds, kind).sorted() == (1..<4).map { "\(Accounts.did($0))" }.sorted())
  }

  /// A journal is executed with the session of the account.
  @Test func aFileRunsNoJobsOfOtherKinds() async throws {
    let place = TemporaryStore()
    let edge = PDSDouble.edge("\(Self.friend.collection)", other)
    let write = RecordWrite(
      collection: Self.friend.collection, rkey: try RecordKey(parsing: "3a"), action: .create(edge))
    let (store, job) = try await place.job([
      JobItemDraft(input: "", step: ChangeStep(subject: .account(other), action: .write([write])))
    ])
    await expectJobError(.journal, about: job.id) { _ = try await store.allItems(of: job.id) }
    let told = try place.open(kinds: [Self.friend])
    #expect(try await told.allItems(of: job.id).count == 1)
  }
}
