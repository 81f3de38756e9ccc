// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithPosts
@testable import KithRelationships
@testable import KithWriting

/// Likes and reposts beside an AppView that lags behind, or says what is not true.
@Suite struct ReactionTests {
  private let account = Accounts.did(0)
  private let pds = PDSDouble()
  private let journal = InMemoryJobStore()
  private let clock = ManualClock(.skipping)

  private func engine(_ transport: ScriptedTransport? = nil) throws -> ChangeEngine {
    let time = clock.timeSource(wallAtZero: 1_760_000_000_000_000)
    let client = try pds.client(transport ?? pds.transport, time)
    let own = OwnRecords(of: account, client: client)
    return ChangeEngine(
      repository: PDSRepository(account: account, pds: client, records: own),
      facts: FactLoader(account: account, pds: client, appview: client, records: own),
      journal: journal, keys: TIDClock(clockID: 1) { time.instant }, time: time)
  }

  private func post(_ number: Int = 1) throws -> RecordVersion {
    RecordVersion(
      uri: try ATURI(parsing: "at://\(Accounts.did(1))/app.bsky.feed.post/3p\(number)"),
      cid: try CID(parsing: "bafyreihwkqppkvmkfrjxfgvo6dwubeuyiw65n7s32l54aginpqh5ju5zmy"))
  }

  private func record(_ reaction: Reaction, _ key: String) throws -> ATURI {
    try ATURI(parsing: "at://\(account)/app.bsky.feed.\(reaction)/\(key)")
  }

  private var records: [String] { pds.records.keys.sorted() }

  /// Makes a record as another machine does.
  private func put(_ reaction: Reaction, _ key: String, on number: Int) throws {
    let subject = try post(number).uri
    pds.change {
      $0.records["app.bsky.feed.\(reaction)/\(key)"] = [
        "$type": .string("app.bsky.feed.\(reaction)"), "createdAt": "2025-01-01T00:00:00.000Z",
        "subject": ["uri": .string("\(subject)"), "cid": "x"],
      ]
    }
  }

  private func like(_ former: ReactionRecord = .none, _ reaction: Reaction = .like) throws -> PostChange {
    .react(reaction, to: try post(), former: former)
  }

  private func unlike(_ former: ReactionRecord = .none, _ reaction: Reaction = .like) throws -> PostChange {
    .takeBack(reaction, from: try post().uri, former: former)
  }

  private func submit(_ change: PostChange, by engine: ChangeEngine) async throws -> ChangeEngine.Submission {
    try await engine.submit([ChangePlan.Request("x", .posts(change), isResolved: true)], as: "change")
  }

  /// Submits and runs a change.
  ///
  /// - Returns: the job; nil if there is nothing to do.
  private func make(_ change: PostChange, by engine: ChangeEngine) async throws -> JobID? {
    let submission = try await submit(change, by: engine)
    #expect(submission.plan.changes.allSatisfy { $0.refusal == nil })
    guard let job = submission.job else { return nil }
    #expect(try await engine.run(job.id, plannedBy: submission.facts) == .done)
    return job.id
  }

  @Test(arguments: Reaction.allCases)
  func ownActsCountWhileTheAppViewLags(reaction: Reaction) async throws {
    let transport = pds.transport
    let engine = try engine(transport)
    func calls(_ method: String) -> Int { transport.calls(of: "com.atproto.repo.\(method)") }
    _ = try #require(try await make(like(.none, reaction), by: engine))
    #expect(records.count == 1 && calls("getRecord") == 0)
    let first = try record(reaction, try #require(records.first?.split(separator: "/").last.map { "\($0)" }))
    #expect(try await make(like(.none, reaction), by: engine) == nil)
    #expect(try await make(like(.record(first), reaction), by: engine) == nil)
    let removal = try #require(try await make(unlike(.none, reaction), by: engine))
    #expect(records.isEmpty)
    let before = calls("getRecord")
    // The AppView still shows the first record.
    #expect(try await make(unlike(.record(first), reaction), by: engine) == nil)
    let again = try #require(try await make(like(.record(first), reaction), by: engine))
    #expect(
      records.count == 1 && records.first?.hasSuffix("/\(first.recordKey.map { "\($0)" } ?? "")") == false)
    #expect(calls("getRecord") == before + 2)
    // The undo makes no second record.
    let undo = try await engine.undo(removal).job
    #expect(try await engine.run(undo.id) == .done)
    #expect(try await journal.summary(of: undo.id).counts[.skipped] == 1 && records.count == 1)
    _ = try await engine.run(try await engine.undo(again).job.id)
    #expect(records.isEmpty)
    #expect(try await make(like(.record(first), reaction), by: engine) != nil && records.count == 1)
  }

  @Test func aRecordOfAnotherPostTellsNothing() async throws {
    let engine = try engine()
    try put(.like, "3other", on: 2)
    let shown = ReactionRecord.record(try record(.like, "3other"))
    for change in [try like(shown), try unlike(shown)] {
      let submission = try await submit(change, by: engine)
      #expect(submission.plan.changes.map { $0.refusal?.code } == [.notLearned] && submission.job == nil)
    }
    #expect(records == ["app.bsky.feed.like/3other"])
    // What the journal knows is taken back anyway.
    _ = try await make(like(), by: engine)
    _ = try await make(unlike(shown), by: engine)
    #expect(records == ["app.bsky.feed.like/3other"])
  }

  @Test func allKnownRecordsAreTakenBack() async throws {
    let engine = try engine()
    _ = try await make(like(), by: engine)
    try put(.like, "3second", on: 1)
    let change = try unlike(.record(try record(.like, "3second")))
    #expect(try await submit(change, by: engine).plan.changes.first?.notes.map(\.code) == [.duplicates])
    let job = try #require(try await journal.jobs(endedAfter: .distantFuture).last)
    #expect(try await engine.run(job.id) == .done)
    #expect(records.isEmpty)
  }

  /// How a record of another machine can be found.
  enum Sight: CaseIterable { case latest, shown, ghost }

  @Test(arguments: Sight.allCases)
  func aResumedJobMakesNoSecondRecord(sight: Sight) async throws {
    let engine = try engine()
    let job = try #require(try await submit(try like(), by: engine).job).id
    if sight != .ghost { try put(.like, "1other", on: 1) }
    if sight != .latest {
      for number in 0..<120 { try put(.like, "2x\(number)", on: 2) }
      let (uri, shown) = ("\(try post().uri)", "\(try record(.like, "1other"))")
      pds.change { $0.reactions = [uri: ["like": shown]] }
    }
    let before = records
    #expect(try await engine.run(job) == .done)
    let counts = try await journal.summary(of: job).counts
    #expect(counts[sight == .ghost ? .done : .skipped] == 1)
    #expect(records.count == before.count + (sight == .ghost ? 1 : 0))
  }

  /// What another machine has taken back does not belong to the job.
  @Test func aResumedJobLeavesWhatIsGone() async throws {
    let engine = try engine()
    _ = try await make(like(), by: engine)
    let job = try #require(try await submit(try unlike(), by: engine).job).id
    pds.change { $0.records = [:] }
    #expect(try await engine.run(job) == .done)
    #expect(try await journal.summary(of: job).counts[.skipped] == 1)
  }

  @Test func twoTapsMakeOneRecord() async throws {
    let scene = try WriterScene()
    let change = ChangeIntent.posts(try like())
    async let first = scene.writer.make(change)
    async let second = scene.writer.make(change)
    let states = try await [first.ending, second.ending]
    #expect(Set(states) == [.done, .held] && scene.pds.records.count == 1)
    #expect(try await scene.writer.make(.posts(try unlike())).ending == .done)
    #expect(scene.pds.records.isEmpty)
    #expect(try await scene.writer.make(change).ending == .done && scene.pds.records.count == 1)
  }
}
