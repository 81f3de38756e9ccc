// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithCrypto
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithStore
@testable import KithWriting

/// Records that Kith has no rules for are made, replaced, deleted and undone. A new kind is its collection.
@Suite struct RecordKindTests {
  private static let notes = NSID("com.example.record") ?? .post
  private let account = Accounts.did(0)

  private func scene(_ place: any JournalPlace) throws -> EdgeKindTests.Scene {
    let journal =
      try (place as? TemporaryStore)?.open(busyTimeout: .seconds(10), records: [Self.notes])
      ?? place.reopen()
    return try EdgeKindTests.Scene(account, journal, at: place)
  }

  private func scene() throws -> EdgeKindTests.Scene { try scene(JournalUnderTest.all[1].makePlace()) }

  private func uri(_ key: String, in collection: NSID = notes, of owner: DID? = nil) throws -> ATURI {
    ATURI(
      authority: .did(owner ?? account), collection: collection, recordKey: try RecordKey(parsing: key))
  }

  private func draft(_ text: String) -> RecordDraft { RecordDraft(Self.notes, ["text": .string(text)]) }

  private func texts(_ scene: EdgeKindTests.Scene) -> [String] {
    scene.pds.records.sorted { $0.key < $1.key }.compactMap { $0.value["text"]?.string }
  }

  private func refusal(
    _ change: RecordChange, by scene: EdgeKindTests.Scene
  ) async throws -> ChangeRefusal.Code? {
    try await scene.engine.submit([ChangePlan.Request("x", .records(change))], as: "edit").plan.changes.first?
      .refusal?.code
  }

  @Test(arguments: JournalUnderTest.all)
  func makesReplacesDeletesAndUndoes(_ journal: JournalUnderTest) async throws {
    let scene = try scene(journal.makePlace())
    let made = try #require(try await scene.perform(.records(.make([draft("one")]))))
    let (name, first) = try #require(scene.pds.records.first)
    #expect(first.type == "\(Self.notes)" && first["createdAt"] != nil && texts(scene) == ["one"])
    let record = try #require(ATURI("at://\(account)/\(name)"))
    let replaced = try #require(try await scene.perform(.records(.put(record, ["text": "two", "more": 1]))))
    #expect(scene.pds.records == [name: ["$type": "com.example.record", "text": "two", "more": 1]])
    #expect(try await scene.perform(.records(.put(record, ["text": "two", "more": 1]))) == nil)
    let deleted = try #require(try await scene.perform(.records(.delete(record))))
    #expect(scene.pds.records.isEmpty)
    #expect(try await scene.perform(.records(.delete(record))) == nil)
    // Each undo brings back the former content, under the same key.
    try await scene.undo(deleted)
    #expect(texts(scene) == ["two"])
    try await scene.undo(replaced)
    #expect(scene.pds.records == [name: first])
    try await scene.undo(made)
    #expect(scene.pds.records.isEmpty)
  }

  @Test func anUndoKeepsWhatOthersHaveWrittenSince() async throws {
    let scene = try scene()
    let job = try #require(try await scene.perform(.records(.put(uri("3a"), ["text": "one"]))))
    scene.pds.put("\(Self.notes)", "3a", subject: Accounts.did(2))
    try await scene.undo(job)
    #expect(scene.pds.records["\(Self.notes)/3a"]?["subject"]?.string == "\(Accounts.did(2))")
  }

  /// Two notes about one account are two records, although each says what an edge says.
  @Test func aRecordAboutAnAccountIsNotAnEdge() async throws {
    let scene = try scene()
    let subject = DataValue.string("\(Accounts.did(2))")
    let notes = ["one", "two"].map { text in
      RecordDraft(Self.notes, ["subject": subject, "text": .string(text)])
    }
    let made = try #require(try await scene.perform(.records(.make([notes[0]]))))
    // The run compares with the repository, as after a crash.
    let (plan, job) = try await { ($0.plan, $0.job) }(
      scene.engine.submit([ChangePlan.Request("x", .records(.make([notes[1]])))], as: "edit"))
    #expect(plan.stepCount == 1 && texts(scene) == ["one"])
    #expect(try await scene.engine.run(try #require(job).id) == .done)
    #expect(texts(scene) == ["one", "two"])
    try await scene.undo(made)
    #expect(texts(scene) == ["two"])
  }

  @Test func recordsOfOneChangeNameEachOther() async throws {
    let scene = try scene()
    var second = draft("two")
    second.references = [RecordDraft.Reference("about", "note", to: 0, isStrong: true)]
    let gate = RecordDraft(
      Self.notes.sibling, ["open": true], sharingKeyOf: 1, references: [RecordDraft.Reference("note", to: 1)])
    let planned = scene.engine.planner.plan(
      .records(.make([draft("one"), second, gate])), knowing: SubjectFacts())
    let writes = planned.steps.flatMap(\.writes)
    #expect(planned.steps.count == 1 && writes.count == 3 && writes[1].rkey == writes[2].rkey)
    let named = writes[1].newValue?["about"]?["note"]
    #expect(named?["uri"]?.string == "at://\(account)/\(writes[0].name)")
    #expect(named?["cid"]?.string == writes[0].newValue.flatMap { CID(of: $0) }?.description)
    #expect(writes[2].newValue?["note"]?.string == "at://\(account)/\(writes[1].name)")
    second.references = [RecordDraft.Reference("about", to: 1)]
    #expect(try await refusal(.make([draft("one"), second]), by: scene) == .invalid)
    let twin = RecordDraft(Self.notes, ["text": "twin"], sharingKeyOf: 0)
    #expect(try await refusal(.make([draft("one"), twin]), by: scene) == .invalid)
  }

  @Test func whatHasRulesOfItsOwnIsRefused() async throws {
    let scene = try scene()
    let collections = RecordKind.known.map(\.collection) + FollowGraph.known.map(\.collection)
    for collection in collections {
      #expect(try await refusal(.put(uri("3a", in: collection), [:]), by: scene) == .hasOwnRules)
      #expect(try await refusal(.delete(uri("3a", in: collection)), by: scene) == .hasOwnRules)
      let code = try await refusal(.make([RecordDraft(collection, [:])]), by: scene)
      #expect(code == (collection == .post ? nil : .hasOwnRules), "\(collection)")
    }
    #expect(try await refusal(.delete(uri("3a", of: Accounts.did(1))), by: scene) == .notYourRecord)
    #expect(try await refusal(.put(uri("3a"), ["$type": "com.example.other"]), by: scene) == .invalid)
    #expect(scene.pds.records.isEmpty)
  }

  /// A journal is executed with the session of the account.
  @Test func aFileRunsNoJobsOfOtherCollections() async throws {
    let place = TemporaryStore()
    func job(_ subject: ChangeStep.Subject) async throws -> JobID {
      let write = RecordWrite(
        collection: Self.notes, rkey: try RecordKey(parsing: "3a"), action: .create(["text": "x"]))
      let (_, job) = try await place.job([
        JobItemDraft(input: "", step: ChangeStep(subject: subject, action: .write([write])))
      ])
      return job.id
    }
    let told = try place.open(records: [Self.notes])
    let record = try await job(.record(uri("3a")))
    await expectJobError(.journal, about: record) { _ = try await place.open().allItems(of: record) }
    #expect(try await told.allItems(of: record).map(\.step.subject) == [.record(uri("3a"))])
    // Nor is it written by a step about something else.
    for subject in [
      ChangeStep.Subject.account(Accounts.did(1)), .record(try uri("3b")), .list(try uri("3a")),
    ] {
      let other = try await job(subject)
      await expectJobError(.journal, about: other) { _ = try await told.allItems(of: other) }
    }
  }

  /// What `kith import` plans, it can run: records without rules are not follows, whichever app they belong to.
  @Test(arguments: ["app.bsky.graph.starterpack", "com.example.record"])
  func theJournalOfTheCommandRunsJobsOfAnyRecordWithoutRules(collection: String) async throws {
    let place = TemporaryStore()
    let record = try uri("3a", in: NSID(parsing: collection))
    func job(_ subject: ChangeStep.Subject) async throws -> JobID {
      let write = RecordWrite(
        collection: try NSID(parsing: collection), rkey: try RecordKey(parsing: "3a"),
        action: .create(["name": "x"]))
      let step = ChangeStep(subject: subject, action: .write([write]))
      return try await place.job([JobItemDraft(input: "", step: step)]).job.id
    }
    let store = try SQLiteJobStore(StoreDatabase(folder: place.folder), writesUnknownGraphs: true)
    let own = try await job(.record(record))
    #expect(try await store.allItems(of: own).map(\.step.subject) == [.record(record)])
    let other = try await job(.account(Accounts.did(1)))
    await expectJobError(.journal, about: other) { _ = try await store.allItems(of: other) }
  }

  /// Journals of released versions call any other record a list.
  @Test func theSubjectsOfReleasedVersionsAreReadAsBefore() throws {
    let record = try uri("3a")
    #expect(ChangeStep.Subject("\(record)") == .list(record))
    #expect(ChangeStep.Subject("record:\(record)") == .record(record))
    #expect(ChangeStep.Subject.record(record).description == "record:\(record)")
    #expect(ChangeStep.Subject("record:x") == nil)
  }
}

extension NSID {
  fileprivate var sibling: NSID { NSID("com.example.gate") ?? self }
}
