// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships
import KithWriting
import TestSupport
import Testing

/// Contract of a journal: two jobs of one account never send the same change at the same time, and neither
/// sends what the other has done since its facts were read.
@Suite struct JournalRivalTests {
  /// The claims of a step, in two versions that differ in everything but the claim.
  struct Claim: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let step: @Sendable (_ version: Int) throws -> ChangeStep

    private static func list(_ number: Int) throws -> ATURI {
      try ATURI(parsing: "at://\(Accounts.did(0))/app.bsky.graph.list/\(ChangeSamples.rkey(number))")
    }

    private static func create(
      _ collection: String, _ version: Int, _ value: DataValue
    ) throws -> ChangeStep.Action {
      .write([
        RecordWrite(
          collection: try NSID(parsing: collection), rkey: ChangeSamples.rkey(100 + version),
          action: .create(value))
      ])
    }

    static let all = [
      Claim(testDescription: "follow") { version in
        ChangeStep(
          subject: .account(Accounts.did(1)),
          action: try create("app.bsky.graph.follow", version, ChangeSamples.record(1)))
      },
      Claim(testDescription: "block, with another removal beside it") { version in
        var write = ChangeSamples.create(1, in: ChangeSamples.blocks)
        write.rkey = ChangeSamples.rkey(100 + version)
        return ChangeStep(
          subject: .account(Accounts.did(1)), action: .write([write, ChangeSamples.delete(50 + version)]))
      },
      Claim(testDescription: "blocked list") { version in
        let list = try list(7)
        return ChangeStep(
          subject: .list(list),
          action: try create(
            "app.bsky.graph.listblock", version,
            ["subject": .string("\(list)"), "createdAt": "2026-01-01T00:00:00.000Z"]))
      },
      Claim(testDescription: "member of a list") { version in
        ChangeStep(
          subject: .account(Accounts.did(1)),
          action: try create(
            "app.bsky.graph.listitem", version,
            [
              "subject": .string("\(Accounts.did(1))"), "list": .string("\(try list(7))"),
              "createdAt": "2026-01-01T00:00:00.000Z",
            ]))
      },
      Claim(testDescription: "name of a list") { version in
        ChangeStep(
          subject: .listName("Noise"),
          action: try create(
            "app.bsky.graph.list", version,
            ["name": "Noise", "createdAt": .string("2026-01-0\(version)T00:00:00.000Z")]))
      },
      // Each would count as the one that did it, and undoing both would restore it twice.
      Claim(testDescription: "deleted record") { version in
        var block = ChangeSamples.create(1, in: ChangeSamples.blocks)
        block.rkey = ChangeSamples.rkey(100)
        let writes = version == 1 ? [block, ChangeSamples.delete(1)] : [ChangeSamples.delete(1)]
        return ChangeStep(subject: .account(Accounts.did(1)), action: .write(writes))
      },
      Claim(testDescription: "words of a list") { version in
        let write = RecordWrite(
          collection: try NSID(parsing: "app.bsky.graph.list"), rkey: ChangeSamples.rkey(7),
          action: .update(["name": .string("version \(version)")], former: ["name": "old"]))
        return ChangeStep(subject: .list(try list(7)), action: .write([write]))
      },
    ]
  }

  private func add(
    _ steps: [ChangeStep], of account: DID = Accounts.did(0), to store: any JobStore, at now: Instant
  ) async throws -> JobID {
    try await store.addJob(steps.map { JobItemDraft(input: "x", step: $0) }, of: account, at: now).id
  }

  private func begin(
    _ job: JobID, asOf revision: Int64 = .max, in store: any JobStore, at now: Instant
  ) async throws -> CommitReservation {
    let items = try await store.items(of: job, in: [.pending, .inDoubt], after: nil, most: .max)
    return try await store.begin(
      JobCommit(number: 1, items: items), of: job, within: WriteLimit(leave: 0), asOf: revision, at: now)
  }

  // MARK: In doubt

  @Test(arguments: JournalUnderTest.all, Claim.all)
  func beginsNothingThatAnotherJobHasInDoubt(_ journal: JournalUnderTest, _ claim: Claim) async throws {
    let place = journal.makePlace()
    let (store, other) = (try place.reopen(), try place.reopen())
    let first = try await add([claim.step(1)], to: store, at: place.now)
    // The second of three items is the one.
    let steps = [ChangeSamples.follow(8), try claim.step(2), ChangeSamples.follow(9)]
    let second = try await add(steps, to: other, at: place.now)
    #expect(try await begin(first, in: store, at: place.now) == .begun)
    let points = try await store.pointsCounted(at: place.now)
    #expect(try await begin(second, in: other, at: place.now) == .contended([1: first]))
    #expect(try await store.states(of: second) == [.pending, .pending, .pending])
    #expect(try await store.job(second).state == .waiting)
    #expect(try await store.pointsCounted(at: place.now) == points)
    // A commit does not conflict with itself, nor a job with its own commits.
    #expect(try await begin(first, in: other, at: place.now) == .begun)
    // A change that turned out not to have happened is free again.
    try await store.record(JobOutcome(commit: 1, states: [0: .failed("no")]), of: first)
    #expect(try await begin(second, in: other, at: place.now) == .begun)
  }

  /// A cancelled job that died with a commit in flight still has it in doubt.
  @Test(arguments: JournalUnderTest.all)
  func beginsNothingThatACancelledJobHasInDoubt(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let first = try await add([ChangeSamples.follow(1)], to: store, at: place.now)
    let second = try await add([ChangeSamples.follow(1)], to: store, at: place.now)
    _ = try await begin(first, in: store, at: place.now)
    _ = try await store.cancel(first, at: place.now)
    #expect(try await begin(second, in: try place.reopen(), at: place.now) == .contended([0: first]))
  }

  @Test(arguments: JournalUnderTest.all)
  func namesEachItemThatIsInDoubtElsewhere(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let one = try await add([ChangeSamples.follow(1)], to: store, at: place.now)
    let two = try await add([ChangeSamples.follow(2)], to: store, at: place.now)
    for job in [one, two] { #expect(try await begin(job, in: store, at: place.now) == .begun) }
    let steps = [2, 3, 1, 2].map(ChangeSamples.follow)
    let late = try await add(steps, to: store, at: place.now)
    #expect(try await begin(late, in: store, at: place.now) == .contended([0: two, 2: one, 3: two]))
  }

  @Test(arguments: JournalUnderTest.all)
  func letsAnotherAccountDoTheSame(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let mine = try await add([ChangeSamples.follow(1)], to: store, at: place.now)
    let theirs = try await add([ChangeSamples.follow(1)], of: Accounts.did(5), to: store, at: place.now)
    #expect(try await begin(mine, in: store, at: place.now) == .begun)
    #expect(try await begin(theirs, asOf: 0, in: store, at: place.now) == .begun)
    try await store.record(JobOutcome(commit: 1, isPaid: true, states: [0: .done]), of: mine)
    #expect(try await begin(theirs, asOf: 0, in: store, at: place.now) == .begun)
  }

  /// Muting twice is idempotent; another edge of the same account is a different claim.
  @Test(arguments: JournalUnderTest.all)
  func letsTwoJobsDoWhatDoesNoHarmTwice(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let subject = ChangeStep.Subject.account(Accounts.did(1))
    let unfollow = ChangeStep(subject: subject, action: .write([ChangeSamples.delete(1)]))
    let block = ChangeStep(
      subject: subject, action: .write([ChangeSamples.create(1, in: ChangeSamples.blocks)]))
    for (first, second) in [
      (ChangeSamples.mute(1), ChangeSamples.mute(1)), (ChangeSamples.follow(1), block),
      (ChangeSamples.follow(1), unfollow),
    ] {
      let one = try await add([first], to: store, at: place.now)
      let other = try await add([second], to: store, at: place.now)
      #expect(try await begin(one, asOf: 0, in: store, at: place.now) == .begun)
      #expect(try await begin(other, asOf: 0, in: store, at: place.now) == .begun)
      for job in [one, other] {
        try await store.record(JobOutcome(commit: 1, states: [0: .failed("no")]), of: job)
      }
    }
  }

  // MARK: Lists and their members

  /// A new member of a list and the deletion of that list; their subjects are different.
  private func memberAndDeletion(_ isFirst: Bool) throws -> [ChangeStep] {
    let list = try ATURI(parsing: "at://\(Accounts.did(0))/app.bsky.graph.list/\(ChangeSamples.rkey(7))")
    let member = RecordWrite(
      collection: try NSID(parsing: "app.bsky.graph.listitem"), rkey: ChangeSamples.rkey(9),
      action: .create([
        "subject": .string("\(Accounts.did(1))"), "list": .string("\(list)"),
        "createdAt": "2026-01-01T00:00:00.000Z",
      ]))
    let deletion = RecordWrite(
      collection: try NSID(parsing: "app.bsky.graph.list"), rkey: ChangeSamples.rkey(7),
      action: .delete(former: nil))
    let steps = [
      ChangeStep(subject: .account(Accounts.did(1)), action: .write([member])),
      // An undo of the creation of a list names it in this way.
      ChangeStep(subject: .listName("Noise"), action: .write([deletion])),
    ]
    return isFirst ? steps : steps.reversed()
  }

  @Test(arguments: JournalUnderTest.all, [true, false])
  func takesAMemberOfAListForARivalOfItsDeletion(_ journal: JournalUnderTest, _ isFirst: Bool) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let before = try await store.revision()
    let steps = try memberAndDeletion(isFirst)
    let jobs = [
      try await add([steps[0]], to: store, at: place.now),
      try await add([steps[1]], to: store, at: place.now),
    ]
    #expect(try await begin(jobs[0], in: store, at: place.now) == .begun)
    #expect(try await begin(jobs[1], in: try place.reopen(), at: place.now) == .contended([0: jobs[0]]))
    try await store.record(
      JobOutcome(commit: 1, isPaid: true, states: [0: .done]), of: jobs[0], at: place.now)
    #expect(try await begin(jobs[1], asOf: before, in: store, at: place.now) == .outdated)
    #expect(try await begin(jobs[1], asOf: store.revision(), in: store, at: place.now) == .begun)
  }

  /// Members of a list do not hinder each other.
  @Test(arguments: JournalUnderTest.all)
  func addsTwoMembersAtOnce(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    var steps = try [memberAndDeletion(true)[0], memberAndDeletion(true)[0]]
    steps[1].subject = .account(Accounts.did(2))
    var write = steps[1].writes[0]
    guard case .create(let value) = write.action, var fields = value.object else { return }
    fields["subject"] = .string("\(Accounts.did(2))")
    write.action = .create(.object(fields))
    steps[1].action = .write([write])
    for step in steps {
      let job = try await add([step], to: store, at: place.now)
      #expect(try await begin(job, asOf: 0, in: store, at: place.now) == .begun)
    }
  }

  // MARK: Done since

  @Test(arguments: JournalUnderTest.all, Claim.all)
  func beginsNothingThatAnotherJobHasDoneSince(_ journal: JournalUnderTest, _ claim: Claim) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let before = try await store.revision()
    let first = try await add([claim.step(1)], to: store, at: place.now)
    let second = try await add([ChangeSamples.follow(8), claim.step(2)], to: store, at: place.now)
    #expect(try await begin(first, in: store, at: place.now) == .begun)
    try await store.record(JobOutcome(commit: 1, isPaid: true, states: [0: .done]), of: first)
    let after = try await place.reopen().revision()
    #expect(after > before)
    #expect(try await begin(second, asOf: before, in: try place.reopen(), at: place.now) == .outdated)
    #expect(try await store.states(of: second) == [.pending, .pending])
    // Facts that were read since include it.
    #expect(try await begin(second, asOf: after, in: store, at: place.now) == .begun)
  }

  /// An undone change does not block other jobs.
  @Test(arguments: JournalUnderTest.all)
  func beginsWhatAnotherJobHasDoneAndUndone(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let before = try await store.revision()
    let first = try await store.addEndedJob(ChangeSamples.drafts(1..<2), [.done], at: place.now).id
    let second = try await add([ChangeSamples.follow(1)], to: store, at: place.now)
    let unfollow = ChangeStep(subject: .account(Accounts.did(1)), action: .write([ChangeSamples.delete(1)]))
    _ = try await store.addEndedJob(
      [JobItemDraft(input: "x", step: unfollow, origin: 0)], [.done], undoes: first, at: place.now)
    #expect(try await store.states(of: first) == [.undone])
    #expect(try await begin(second, asOf: before, in: store, at: place.now) == .begun)
  }

  /// A thread is undone post by post: one post that stays keeps the item from being undone.
  @Test(arguments: JournalUnderTest.all)
  func anItemIsUndoneWithTheLastOfItsReversals(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let first = try await store.addEndedJob(ChangeSamples.drafts(0..<2), [.done, .done], at: place.now).id
    let drafts = ChangeSamples.drafts(0..<4).enumerated().map { number, draft in
      JobItemDraft(input: draft.input, step: draft.step, origin: number < 3 ? 0 : 1)
    }
    let undo = try await store.addJob(drafts, undoes: first, at: place.now).id
    _ = try await store.start(undo)
    // Where nothing was done, nothing is undone.
    let outcome = JobOutcome(states: [0: .done, 1: .failed("no"), 3: .skipped("gone")])
    try await store.record(outcome, of: undo)
    #expect(try await store.states(of: first) == [.done, .done])
    #expect(try await store.record(JobOutcome(states: [2: .done]), of: undo) == .done)
    #expect(try await place.reopen().states(of: first) == [.done, .done])
    #expect(try await store.retryFailed(undo) == 1)
    try await store.record(JobOutcome(states: [1: .skipped("gone")]), of: undo)
    #expect(try await place.reopen().states(of: first) == [.undone, .done])
  }

  @Test(arguments: JournalUnderTest.all)
  func advancesItsRevisionOnlyWhenSomethingIsDone(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let start = try await store.revision()
    let job = try await store.addJob(ChangeSamples.drafts(0..<5), at: place.now).id
    _ = try await store.begin(1, 0..<3, of: job, at: place.now)
    for state: JobItemState in [.skipped("held"), .failed("no"), .pending] {
      try await store.record(JobOutcome(states: [3: state]), of: job)
    }
    #expect(try await store.revision() == start)
    try await store.record(
      JobOutcome(commit: 1, isPaid: true, states: [0: .done, 1: .done, 2: .done]), of: job)
    let once = try await place.reopen().revision()
    #expect(once > start)
    _ = try await store.cancel(job, at: place.now)
    #expect(try await store.revision() == once)
    // The history includes the revision at which each was done.
    let subject = ChangeStep.Subject.account(Accounts.did(1))
    let entry = try await store.history(of: [subject], by: Accounts.did(0))[subject]?.first
    #expect(entry?.state == .done && entry?.revision == once)
  }
}
