// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithLexicons
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithWriting

/// The sentences of this module's errors, refusals and notes, in `errors.txt` (`make wording` writes it).
@Suite struct ErrorCatalogueTests {
  private let account = Accounts.did(0)
  private let other = Accounts.did(1)
  private let moment = Datetime(at: 0)

  @Test func holdsEverySentence() async throws {
    var catalogue = WordingCatalogue(beside: #filePath)
    addInputs(to: &catalogue)
    try await addRepositories(to: &catalogue)
    try addRefusals(to: &catalogue)
    try addNotes(to: &catalogue)
    try addJobs(to: &catalogue)
    #expect(try catalogue.differences() == [])
    let codes =
      RepositoryError.Code.all.map { "repository.\($0)" } + JobError.Code.all.map { "job.\($0)" }
    #expect(Set(codes).subtracting(catalogue.codes) == [])
    // The codes of notes and refusals are open; they are found where they are created.
    let known = Set(catalogue.codes.compactMap { $0.split(separator: ".").last.map(String.init) })
    let open = try SourceLiterals(of: "KithWriting", after: ["Code(rawValue:", "Self(rawValue:"])
    #expect(open.all.count > 20)
    #expect(Set(open.all.map(\.description)).subtracting(known) == [])
  }

  private func uri(_ collection: String, of did: DID) throws -> ATURI {
    try ATURI(parsing: "at://\(did)/app.bsky.graph.\(collection)/3k2a")
  }

  private func request() throws -> FriendRequest {
    let value = FriendRequestDraft(expiresAt: moment).record(to: account, at: moment)
    let rkey = try #require(FriendRequest.key(to: account))
    return try #require(FriendRequest(value, of: other, at: rkey))
  }

  private func addInputs(to catalogue: inout WordingCatalogue) {
    for text in [
      "at://alice.test/app.bsky.feed.post", "at://alice.test/app.bsky.feed.post/a b",
      "https://bsky.app/profile/alice.test/likes/3k",
    ] {
      let error = #expect(throws: InputError.self) { try ReportInput(parsing: text) }
      if let error { catalogue.add("input", error) }
    }
  }

  // MARK: Changes

  private func addRepositories(to catalogue: inout WordingCatalogue) async throws {
    func add(_ body: () async throws -> Void) async {
      let error = await #expect(throws: RepositoryError.self) { try await body() }
      if let error { catalogue.add("repository.\(error.code)", error) }
    }
    let answers: [TransportResponse] = [
      .xrpcError(400, "InvalidRequest", "Invalid record"), .xrpcError(401, "ExpiredToken", "expired"),
      .xrpcError(429, "RateLimitExceeded", "slow down"), .xrpcError(500, "Down", "down"),
      .xrpcError(400, "InvalidRequest", "Too many writes. Max: 200"),
      .xrpcError(400, "InvalidToken", "Bad token scope"),
      .xrpcError(400, "AccountSuspended", "taken down"), .xrpcError(400, "AccountDeactivated", "deactivated"),
    ]
    for answer in answers {
      let repository = try PDSDouble().repository(over: ScriptedTransport { _ in answer })
      await add { try await repository.call(.mute(other, .everything)) }
    }
    let double = PDSDouble()
    let repository = try double.repository()
    let many = try (0..<201).map { try RecordWrite.create("3\($0)") }
    await add { try await repository.commit(many) }
    let write = try RecordWrite.create("3a")
    let taken = RepositoryError(takenBy: write)
    catalogue.add("repository.\(taken.code)", taken)
    let basis = try await repository.list([.follow: .all]) { _, _, _ in }
    double.put("app.bsky.graph.follow", "3a", subject: Accounts.did(1))
    await add { _ = try await repository.commit([.create("3c")], after: basis) }
    await add { _ = try await repository.resolveInDoubt([write, try .create("3b")]) }
    let unreadable = try PDSDouble().client(ScriptedTransport { _ in TransportResponse("{}") })
    await add {
      _ = try await RecordReader(of: account, client: unreadable).record(write.rkey, in: write.collection)
    }
    for error in [
      RepositoryError(asking: CancellationError()), RepositoryError(changing: CancellationError()),
    ] { catalogue.add("repository.\(error.code)", error) }
  }

  private func addRefusals(to catalogue: inout WordingCatalogue) throws {
    let (mine, theirs) = (try uri("list", of: account), try uri("list", of: other))
    let mutual = RelationshipInfo(
      actor: account, target: other, following: try uri("follow", of: account),
      followedBy: try uri("follow", of: other), checkedAt: moment, source: .appview)
    let followed = RelationshipInfo(
      actor: account, target: other, following: try uri("follow", of: account), checkedAt: moment,
      source: .appview)
    let refusals: [ChangeRefusal] = [
      .keyNotKept, .oneself, .blockedByList(theirs, of: account), .blockedByList(mine, of: account),
      .mutedByList(theirs),
      .notAList(theirs), .unknown("the scope of the mute"), .mutedOtherwise(.reposts),
      .mutedOtherwise(.everything), .notYourList(theirs), .noSuchList(mine), .noSuchAccount(other),
      .nameTaken("Birds", by: mine),
      .invalid("name: 65 graphemes, 64 are allowed"), .followed(mutual), .followed(followed),
      .awaited(JobID(number: 3)), .contested(JobID(number: 3)), .unsettled(JobID(number: 3)),
      .needsList(of: JobID(number: 3)), .noSoundRecord(of: 2), .listIsThere(mine),
      .noRequest, .requestUnknown, .requestExpired(try request()), .noRecordKey(other),
      .otherVersion(try request(), at: moment), .otherKind(try request(), at: moment),
      .endHasPassed(moment),
      .blocked, .policyUnknown, .standingUnknown, .takesNoRequests, .takesRequestsOf(.followers),
      .takesRequestsOf(.mutuals),
      .unknownPolicy("neighbours"), .approvalRequired,
      .notAPost(theirs), .notYourPost(theirs), .notYourRecord(theirs), .hasOwnRules(mine),
      .invalidRecord("it has no encoding"), .tooManyRecords(201),
      .invalidProfile("displayName: 65 graphemes, 64 are allowed"),
    ]
    for refusal in refusals {
      catalogue.add("refusal.\(refusal.code.rawValue)", refusal)
    }
    let failure = ChangeFailure.refused(.oneself)
    #expect(failure.description == ChangeRefusal.oneself.description)
    for until in [moment, nil] {
      catalogue.add("failure.budgetExhausted", ChangeFailure.budgetExhausted(until: until))
    }
  }

  private func addNotes(to catalogue: inout WordingCatalogue) throws {
    let (mine, theirs) = (try uri("list", of: account), try uri("list", of: other))
    let followed = RelationshipInfo(
      actor: account, target: other, following: try uri("follow", of: account), checkedAt: moment,
      source: .appview)
    let mutual = RelationshipInfo(
      actor: account, target: other, following: try uri("follow", of: account),
      followedBy: try uri("follow", of: other), checkedAt: moment, source: .appview)
    let notes: [ChangeNote] = [
      .followerStays, .followsStayGone, .listsNotLearned, .relationshipNotLearned, .youBlockIt, .itBlocksYou,
      .namedTwice,
      .blockedByList(theirs, of: account), .blockedByList(mine, of: account), .mutedByList(theirs),
      .alsoBlockedByList(theirs), .alsoMutedByList(theirs), .duplicates(2),
      .ghost(try uri("follow", of: account)), .isReferredTo, .linksEnd, .listIsThere(mine),
      .alsoRemoved(items: 1, isBlocked: false), .alsoRemoved(items: 450, isBlocked: true),
      .isFollowed(followed),
      .isFollowed(mutual), .openJob(JobID(number: 3)), .withdrawn(JobID(number: 3)), .endDropped(moment),
      .endKept(moment), .repeated(after: .seconds(2)), .repeated(after: .seconds(299)),
      .endMoved(from: nil, to: moment),
      .endMoved(from: moment, to: Datetime(at: 86_400_000_000)), .keepsItsEnd, .recordStays, .replacesRequest,
      .answers(try request(), at: moment),
      .answers(try request(), at: Datetime(at: moment.instant + .seconds(200_000))),
      .followNeedsSync, .followersStay, .takesNoPart, .hasAskedYou, .approvalNotLearned,
      .staysElsewhere(["your follow on tangled"]), .remainsNotLearned(["follows on tangled", "requests"]),
    ]
    for note in notes { catalogue.add("note.\(note.code.rawValue)", note) }
    for (follows, unfollows, following) in [(201, 0, nil), (0, 50, 60), (150, 100, 400)] as [(Int, Int, Int?)]
    {
      let warning = MassChangeWarning(follows: follows, unfollows: unfollows, following: following)
      if let warning { catalogue.add("warning.massChange", warning) }
    }
  }

  // MARK: Jobs

  private func proposalErrors(of job: JobID) -> [JobError] {
    let former = ChangeSamples.follow(1).lines(of: account)
    let digest = PlanDigest(of: former, by: account)
    let proposal = JobProposal(digest: digest, expiresAt: moment, steps: 1, points: 3)
    let jobs = [(nil, nil), (proposal, nil), (proposal, JobID(number: 9))].map { proposal, approval in
      Job(
        id: job, account: account, title: "follow", state: .done, createdAt: moment, proposal: proposal,
        approvedAs: approval)
    }
    let new = (2..<7).flatMap { ChangeSamples.block($0).lines(of: account) }
    return jobs.map { .notProposed($0) } + [
      .expired(job, at: moment), .otherPlan(job, digest), .filesNotKept(1), .filesNotKept(2),
      .planChanged(job, PlanDifference(from: former, to: [])),
      .planChanged(job, PlanDifference(from: former, to: new)),
    ]
  }

  private func addJobs(to catalogue: inout WordingCatalogue) throws {
    let job = JobID(number: 3)
    let holder = LeaseOwner(process: 77, host: "here", since: moment)
    let errors: [JobError] =
      [
        .notFound(job), .held(job, by: holder), .held(job, by: nil), .planning(by: holder),
        .planning(by: nil),
        .wrongState(job, "job 3 is cancelled: there is nothing to run"),
        .journal(job, "item 2 of job 3 cannot be read"),
        JobError(.wrongAccount, job, "job 3 belongs to another"), .isUndo(job, of: JobID(number: 2)),
        .inDoubt(job, 1), .inDoubt(job, 2), .nothingToUndo(job, wasUndone: true),
        .nothingToUndo(job, wasUndone: false),
      ] + proposalErrors(of: job)
    for error in errors { catalogue.add("job.\(error.code)", error) }
    for code in JobStop.Code.all {
      catalogue.add("stop.\(code)", JobStop(code, "no points are left", until: 1_700_000_000_000_000))
    }
    catalogue.add("stop.interrupted", JobStop(.interrupted, "interrupted"))
    for reason in [
      SkipReason.holdsAlready, .isGone, .wasGone, .holdsAgain, .nothingLeft, .changedByLaterJob,
      .changed("app.bsky.graph.follow/3k2a"), .awaited(job), .dependencyFailed, .inDoubtElsewhere(job),
      .keyNotKept, .deletedAgain,
    ] { catalogue.add("leftAlone", reason) }
  }
}
