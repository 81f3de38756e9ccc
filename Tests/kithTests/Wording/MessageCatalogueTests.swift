// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import KithClient
import KithCore
import KithInsights
import KithSandbox
import KithWording
import TestSupport
import Testing

@testable import KithHistory
@testable import KithLocalHTTP
@testable import KithOperations
@testable import KithPosts
@testable import KithRelationships
@testable import KithStore
@testable import KithWriting
@testable import kith

/// The messages of the command in `errors.txt` (`make wording` updates it): one line per code that scripts
/// can get on stderr with `KITH_MESSAGES=json`, and per usage error.
@Suite struct MessageCatalogueTests {
  private let did = Accounts.did(1)
  private let handle = Accounts.handle(1)
  private let job = JobID(number: 3)
  private let moment = Datetime(at: 1_767_225_600_000_000)

  /// The time at which sentences say how far off a moment is.
  private var now: Datetime { Datetime(at: moment.instant - .seconds(7_200)) }

  @Test func holdsEverySentence() throws {
    var catalogue = WordingCatalogue(beside: #filePath)
    let all: [[Message]] = [
      process(), try input(), try accounts(), try checks(), try changes(), try lists() + reaches(),
      try jobs(),
      hints(),
      try changeHints(), try histories() + transfers(), try insights(),
    ]
    let messages = all.flatMap(\.self)
    for message in messages { catalogue.add("\(message.code) \(message.level.rawValue)", message.text) }
    // The command says itself what plans and ended jobs lead to; the sentence about a snapshot names its number.
    let codes =
      Message.Code.allCases.map(\.rawValue) + OperationError.Code.allCases.map(\.rawValue)
      + Note.Code.allCases.filter { ![.planned, .jobEnded].contains($0) }.map(\.rawValue)
      + InsightGap.Code.allCases.map(\.rawValue)
    #expect(Set(codes).subtracting(messages.map(\.code)) == [])
    for question in try questions() { catalogue.add("question", Wording.command.sentence(question)) }
    catalogue.add("note.openJob", ChangeNote.openJob(job).sentence)
    catalogue.add("note.namedTwice", ChangeNote.namedTwice.sentence)
    addUsage(to: &catalogue)
    let differences = try catalogue.differences()
    #expect(differences == [])
  }

  private func uri(_ key: String = "3k2a") throws -> ATURI {
    try ATURI(parsing: "at://\(did)/app.bsky.graph.list/\(key)")
  }

  private func friendRequest() throws -> FriendRequest {
    let value = FriendRequestDraft(.follow).record(to: did, at: moment)
    let key = try #require(FriendRequest.key(to: did))
    return try #require(FriendRequest(value, of: Accounts.did(2), at: key))
  }

  private var proposedJob: Job {
    let proposal = JobProposal(
      digest: PlanDigest(of: [], by: did), expiresAt: Datetime(at: now.instant + .seconds(1_800)), steps: 1,
      points: 3)
    return Job(
      id: job, account: did, title: "block", state: .proposed, createdAt: moment, proposal: proposal)
  }

  private func error(_ error: OperationError) -> Message { Message(error) }

  private func note(_ note: Note) throws -> Message { try #require(Message(note)) }

  private func gap(_ gap: InsightGap, _ error: (any Error)? = nil) throws -> Message {
    try note(.incomplete(gap, because: error))
  }

  private func record(_ reason: String) throws -> MalformedRecord {
    MalformedRecord(uri: "\(try uri())", rkey: nil, value: nil, reason: reason)
  }

  private func relationshipError() -> RelationshipError {
    .networkError(TransportError(.timedOut, host: "a.test"))
  }

  private func insights() throws -> [Message] {
    [
      .invalidTimeZone("Mars/Olympus"), .formatOfReports("html"), .emptyTime(since: "2026-02-01", until: nil),
      error(.noSnapshotOf(did)),
      try gap(.datesMissing(dated: 30, wanted: 200, reason: ""), relationshipError()),
      try gap(.partMissing(.posts, reason: ""), relationshipError()), try gap(.partPartial(.influence)),
      try gap(.metricsNeedServers([.engagement, .top])), try gap(.blockersNeedServers),
      try gap(.snapshotInProgress(listing: "followers")),
      try gap(.countsOld(since: 1_790_000_000_000_000, reason: ""), relationshipError()),
      try gap(.countsDoubted(at: 1_790_000_000_000_000)),
      try gap(.listingOld(since: 1_790_000_000_000_000, change: 13)),
      .insightSummary(CallCost(), elapsed: .milliseconds(1_234)),
      .reportWritten("report.html", bytes: 121_175), .pictureOfSeveral(["growth", "top"]),
      .noLists(of: nil), .noLists(of: "a.test"), .noStarterPacks(of: nil), .noStarterPacks(of: "a.test"),
      .nothingDue, .nothingTimed, .proposed(proposedJob, PlanDigest(of: [], by: did), at: now),
      .nothingToDraw("top.png"), .noPictureProgram(package: "librsvg2-bin"),
      .pictureProgramFailed("rsvg-convert", status: 1),
      .noGoal("a.test"), .goalRemoved("a.test"), .noForecast(.tooShort(days: 10, weeks: 3)),
      error(.followersUnknown("a.test")), .noSegments,
      error(.invalidSegmentName("two words")), error(.noSuchSegment("loyal", known: ["big", "new"])),
      error(.noSuchSegment("loyal", known: [])), error(.segmentInUse("loyal", by: ["big"])),
      .segmentAdded(AddSegment.Outcome(name: "loyal", replaced: nil)),
      .segmentAdded(AddSegment.Outcome(name: "loyal", replaced: "mutual")),
      error(.segmentRefersToItself("loyal")),
      error(.handleNotStored(handle)),
      .unknownFileType("r.pdf", known: [".html", ".md"], format: "html or md"),
      .listingContinued, .segmentsRemoved(RemoveSegments.Outcome(removed: 2)),
      try note(.segmentUndecided("loyal", 3)),
    ]
  }

  private func process() -> [Message] {
    let messages: [Message] = [
      .noSettings("/config/kith/settings"), .settingsWritten("/config/kith/settings"),
      .settingsUnreadable("/config/kith/settings", line: 3, "write NAME = VALUE"),
      .settingsUnsafe(
        SecureFolderError(path: "/config/kith", .accessibleToOthers(mode: 0o777, wanted: 0o700))),
      .unknownSetting("colour", Setting.objection(to: "colour")),
      .unknownSetting("pds", Setting.objection(to: "pds")),
      .unknownSetting("--yes", Setting.objection(to: "yes")),
      .invalidSetting("leave", "much", "use a share such as 20%"),
      .noSuchSetting("leave", "/config/kith/settings"), .accountForAccount,
      .settingsDoNotFit(["--leave=much"], "Error: …"),
      .usage("Name an actor."), .formerSpelling("kith report -o", "kith stats -o"),
      .unknownMessageForm("xml"), .invalidClockShift("KITH_CLOCK_SHIFT", "soon"),
      .internalError(CancellationError()),
      .noArguments, error(.interrupted), .endedByDeadline(.seconds(90)),
      .log("retry", [OutputField("after", .string("5 ms"))]), .log("over", []),
      .tooFewDescriptors("Too many open files"),
      .systemError("names.txt", "No such file or directory"), .isAFolder("/tmp"),
      .unsafeFile(SecureFolderError(path: "/b/kith.sqlite", .writableByOthers(mode: 0o666))),
      .notUnicode(file: "text"), .noHome("XDG_DATA_HOME"),
      .certificates(.systemError("ca.pem", "Permission denied")),
      error(.noColumn("did", file: "names.csv", columns: ["name", "handle"])),
      error(.unclosedQuote(file: "a.csv", line: 7)), error(.noHeaderLine("bob.test", file: "a.csv")),
      error(.textBesideQuotes(file: "a.csv", line: 7)),
      error(.tooManyCells(file: "a.csv", line: 7, columns: 2)),
      error(.repeatedColumn("Handle", file: "a.csv")),
      error(.noAccountColumn(file: "a.csv", columns: ["who", "when"])),
      error(.archiveOfX(file: "following.js")),
      error(.contactsAreJSON(file: "following.json")), error(.noContacts(file: "Following.txt", line: 2)),
      error(.tooManyContacts(file: "a.csv", most: 10_000)),
      error(.elementTooLong(file: "a.json", line: 1)), error(.unclosedJSON(file: "a.json", line: 3)),
      .needsConfirmation("Unfollow 2 accounts?", alternative: "look with --dry-run first"),
      .needsConfirmation("Unfollow 2 accounts?", alternative: nil), error(.declined),
      .noSandboxProgram(["/usr/bin/kith-sandbox", "/usr/bin/../libexec/kith/kith-sandbox"]),
    ]
    let suggestions = [["chek"], ["accounts", "frobnicate"], ["lists", "creat"]].compactMap {
      CommandSuggestion($0, of: Kith.self)?.message
    }
    return messages + suggestions
  }

  private func input() throws -> [Message] {
    let input = InputError(text: "x y", reason: "it is empty", place: "stdin:3")
    let service = #expect(throws: ServiceURL.Fault.self) { try ServiceURL(parsing: "ftp://a.test") }
    let syntax = #expect(throws: SyntaxError.self) { try NSID(parsing: "nodots") }
    var messages: [Message] = [
      Message(input), .invalidAccountOption(input),
      .serviceWithoutScheme("localhost:8799", origin: "KITH_APPVIEW"),
      .invalidServiceReference("x", origin: "--proxy", example: "\(ServiceReference.blueskyAppView)"),
      .invalidList("at://a.test", "it names no list"), .invalidParameter("novalue"),
      try note(.invalidName(.isAList("at://a/b/c"), isSkipped: false)),
      error(.invalidNames(1, unnamed: 0)), error(.invalidNames(130, unnamed: 30)),
      try note(.moreInvalidNames(130, unnamed: 30)),
      try note(.namesSkipped(1)), try note(.namesSkipped(2)),
      .noneMatch, .planContinues(150), .accountsExcluded(3, []), .accountsExcluded(1, ["bob.test"]),
      .accountsExcluded(9, ["bob.test", "carol.test"]), try note(.excludedUnknown("bob.tset")),
      .unknownField("name", known: ["did", "handle"]), .repeatedField("did"), .noFields,
      try note(.repetitions(1)),
      try note(.repetitions(2)),
      .noInput("targets"), .noInput("actors"), error(.notNDJSON(file: "a.csv", .csv)),
      error(.notNDJSON(file: "a.json", .array)),
      error(.notNDJSON(file: "a.txt", .table)),
      error(.actorMismatch(did, at: "rows:1", asked: Accounts.did(2))), .noFailedRows(file: "stdin"),
    ]
    if let service { messages.append(.invalidService(service, origin: "--appview or KITH_APPVIEW")) }
    if let syntax { messages.append(.invalidMethod(syntax)) }
    for (line, isLast) in [("{}", false), ("{}", true)] {
      var output = PreviousRunReader(file: "rows", actor: did)
      let question = try output.question(in: TextRecord(text: line, line: 1), isLast: isLast)
      if case .unreadable(let error)? = question?.target { messages.append(Message(error)) }
    }
    return messages
  }

  private func session(status: String? = nil) throws -> Session {
    let token = try #require(SessionToken("a.b.c"))
    return Session(
      did: did, handle: handle, pds: try ServiceURL(parsing: "https://pds.test"), pdsIsUserSpecified: false,
      accessToken: token, refreshToken: token, receivedAt: 0, isActive: false, status: status)
  }

  private func accounts() throws -> [Message] {
    let factor = SessionError(.secondFactorRequired, subject: handle, detail: "a second factor is wanted")
    let pds = try ServiceURL(parsing: "https://pds.test")
    let place = SignInTarget(
      account: .handle(handle), did: did, pds: pds, isNamed: false, verifiedBy: [.dns, .https])
    let before = KnownAccounts.Entry(did: Accounts.did(2), pds: pds)
    var renamed = try session()
    renamed.serverHandle = Handle("other.test")
    return [
      .signedIn(renamed), .signingIn(place),
      .signingIn(SignInTarget(account: .handle(handle), did: nil, pds: pds, isNamed: true)),
      .signingIn(
        SignInTarget(
          account: .did(did), did: did, pds: pds, isNamed: false,
          directory: try ServiceURL(parsing: "https://plc.test"))),
      .accountChanged(place, before: before, .warning), .accountChanged(place, before: before, .error),
      .signedIn(try session()), .accountInactive(try session()),
      .accountInactive(try session(status: "takendown")), .noAccounts, .nothingToSignOut,
      .unfinishedWork(UnfinishedWork(timed: [job], open: []), of: did, named: handle),
      .unfinishedWork(
        UnfinishedWork(timed: [job, JobID(number: 9)], open: [JobID(number: 4)]), of: did, named: nil),
      .unfinishedWorkUnknown(did, .systemError("kith.sqlite", "Permission denied")),
      .signedOut(did, hadEnded: false), .signedOut(did, hadEnded: true),
      .notRevoked(did, .systemError("a", "b")), .actingAs(try session()),
      .actingAs(try session(), isNews: true), .mainPassword(try session()),
      .secondFactor(factor), .noSecondFactor, .echoStays("/dev/tty"), .noPassword, .secretFromTerminal,
      .invalidPassword,
      error(.otherService(try ServiceURL(parsing: "https://pds.test"))),
    ]
  }

  private func coverages() throws -> [Message] {
    let (follows, followers) = (ActorListing.follows(of: .did(did)), ActorListing.followers(of: .did(did)))
    let tangled = ActorListing.graph(GraphListing(.followers, of: .did(did), in: .tangled))
    let whole = ListingCoverage(counted: 125, listed: 100)
    var failed = ListingCoverage(counted: 3, listed: 1, unnamed: 1)
    failed.fault = relationshipError()
    let listings: [(ActorListing, ListingCoverage)] = [
      (follows, ListingCoverage(counted: 125, listed: 100, hidden: 20, gone: 4)),
      (follows, ListingCoverage(counted: 125, listed: 100, hidden: 25)), (follows, failed),
      (followers, whole),
      (follows, ListingCoverage(counted: 3, listed: 1, hidden: 1, unreadable: 1)),
      (follows, ListingCoverage(counted: 1, listed: 1, unseen: 5)),
      (.members(of: try uri()), whole),
      (tangled, ListingCoverage(listed: 1, isLowerBound: true, gone: 1, unseen: 2, otherSubjects: 3)),
      (tangled, ListingCoverage(listed: 1, aboutItself: 2)),
    ]
    func summary(_ count: Int, isAtEnd: Bool, from cursor: ListingCursor?, _ fault: (any Error)?) -> Message {
      .listingSummary(
        ListAccounts.Outcome(
          rows: RowsOutcome(count: count, interruption: fault), source: .appview,
          report: ListingReport(follows, whole),
          isAtEnd: isAtEnd, cursor: cursor), rows: count, CallCost(), elapsed: .milliseconds(310))
    }
    let partial = ListingCoverage(counted: 9, listed: 9, unrecorded: 2, undecided: 1)
    let other: [Message] = [
      try note(.listed(ListingReport(follows, partial, owner: try Handle(parsing: "a.test")))),
      try note(
        .listed(
          ListingReport(
            tangled, ListingCoverage(listed: 1, aboutItself: 1), owner: try Handle(parsing: "a.test")))),
      summary(3, isAtEnd: true, from: nil, nil),
      summary(1, isAtEnd: false, from: ListingCursor("0.it's"), CancellationError()),
    ]
    return listings.compactMap { Message(.listed(ListingReport($0.0, $0.1))) } + other
      + [
        .emptyFilter,
        error(
          .invalidPredicate(
            "mutal",
            try #require(throws: PredicateError.self) { try AccountPredicate(parsing: "mutal", now: moment) })
        ),
        error(.mutesOfAnother(.did(did))), error(.mutesUnknown("a.test")),
        error(.friendshipUnknown("a.test", because: .clientNotConfigured)),
        error(.notShown("a.test")), .hiddenTargets(1, ["a.test"]), .hiddenTargets(4, ["a.test", "b.test"]),
        try note(.followsAwaitApproval(1, .weaver)), try note(.followsAwaitApproval(2, .weaver)),
        try note(.targetsUnseen(1)), try note(.targetsUnseen(2)),
        try note(.mutesNotLearned(relationshipError())), .invalidSince("soon"),
        try note(.predicateUndecided(2)),
        error(.predicateUndecided(1, .unavailable, relationshipError())),
      ].compactMap(\.self)
  }

  private func checks() throws -> [Message] {
    var summary = CheckSummary()
    let known = RelationshipInfo(actor: did, target: Accounts.did(2), checkedAt: moment, source: .appview)
    for state in [RelationshipAnswer.State.known(known), .failed(relationshipError())] {
      summary.add(RelationshipAnswer(input: "a.test", target: nil, state: state))
    }
    var stopped = summary
    stopped.listings = [ListingCoverage(counted: 258, listed: 200)]
    stopped.stopsEarly = true
    var cost = CallCost()
    (cost.calls, cost.bytesSent, cost.bytesReceived, cost.retries) = (2, 10, 20, 1)
    let first = Message(relationshipError())
    var named = CheckCost(actor: .did(did))
    named.add(.did(Accounts.did(2)))
    var listed = named
    listed.add(.followers(of: .did(did)), count: 258)
    var handles = CheckCost(actor: .did(did))
    handles.add(.handle(Accounts.handle(2)))
    return [
      .lookupsFailed(1, of: 3, first: first), .lookupsFailed(2, of: 3, first: first),
      .notFound("bob.test", "no such account"),
    ] + (try coverages()) + [
      .checkSummary(summary, cost, elapsed: .milliseconds(310), isWhole: true),
      .checkSummary(summary, cost, elapsed: .milliseconds(310), isWhole: false),
      .checkSummary(stopped, cost, elapsed: .milliseconds(310), isWhole: true),
      .methodCost("app.bsky.actor.getProfiles", cost), .totalCost(cost, targets: 1, elapsed: .seconds(1)),
      .totalCost(cost, targets: nil, elapsed: .seconds(1)),
      .planAssumptions(named.plan(), concurrency: 8),
      .planAssumptions(listed.plan(), concurrency: 8),
      .planAssumptions(handles.plan(), concurrency: 8),
      error(.circularCursor(try NSID(parsing: "com.example.get"), .repeatedCursor("3k2a"))),
      error(.answerTooLarge(try NSID(parsing: "com.example.get"), mebibytes: 16)),
    ]
  }

  private func changes() throws -> [Message] {
    var row = ChangeRow(verb: "follow", input: "bob.test", state: .failed, account: did)
    row.reason = .item("Invalid record")
    let fault = try #require(Message(undone: row))
    let warning = try #require(MassChangeWarning(follows: 201))
    var cost = CallCost()
    cost.calls = 1
    var tally = ChangeTally()
    for state in [
      ChangeRow.State.planned, .done, .unchanged, .undone, .refused, .notFound, .failed, .error, .inDoubt,
      .pending, .cancelled,
    ] { tally.add(ChangeRow(verb: "follow", input: "bob.test", state: state, account: did)) }
    let summary = try #require(
      Message(tally, of: ChangeTitle("follow", "followed"), cost, elapsed: .milliseconds(310)))
    return [
      summary, fault, Message(warning),
      Message(ChangeRefusal.oneself), .pointsNeeded(60, wait: nil), .pointsNeeded(60, wait: .zero),
      try note(.clockDiffers(serverLead: .seconds(172_800))),
      try note(.clockDiffers(serverLead: .seconds(-400))),
      .pointsNeeded(60, wait: .seconds(3_600)),
      .pointsNeeded(471, wait: .seconds(8 * 86_400), within: WriteLimit(changesPerDay: 20)),
      .pointsNeeded(471, wait: .seconds(7_200), within: WriteLimit(changesPerHour: 5, changesPerDay: 20)),
      .undoneLater(moment, at: now), .undoneLater(moment, hasDaemon: true, at: now), .replacedUncompared,
      try note(.relationshipsNotLearned(.networkError(TransportError(.timedOut, host: "appview.test")))),
      try note(.unreadable(.ownRecord, try record("createdAt: it is missing"))),
      try note(.unreadable(.list, try record("name: it is missing"))),
      try note(.unreadable(.member, try record("subject: it is missing"))),
      try note(.unreadable(.starterPack, try record("list: it is missing"))), try note(.moreUnreadable(12)),
      error(.unresolvedHandle(handle)),
      error(.ownAccount("me.test")),
      error(.noSuchRecord(try uri())), error(.textTooLong("text")), .reported("spam.test", number: 7),
      .reportInDoubt(RepositoryError(.inDoubt, detail: "the connection broke")), .blockHint(did),
    ]
  }

  private func lists() throws -> [Message] {
    [
      error(.notForModeration(try uri(), .curate)), error(.notForModeration(try uri(), nil)),
      error(.noSuchList(try uri(), isOwn: true)), error(.noSuchList(try uri(), isOwn: false)),
      error(.unknownListName("Owls", among: ["Birds", "Bees"])), error(.unknownListName("Owls", among: [])),
      error(
        .ambiguousListName("Birds", [(try uri(), "curate, 2 members"), (try uri("3k2b"), "")])),
      error(.listNeedsSession("Birds")),
      error(.notAStarterPack("Birds")), error(.noStarterPack(try RecordKey(parsing: "3k2a"), of: did)),
      error(.emptyPack(try uri())), error(.noMemberShown(try uri(), 8)),
      error(.foreignPackList(try uri(), try uri("3k2b"))), error(.noRepository(did)),
      .starterPack(uri: try uri(), name: "Birds", description: nil),
      .starterPack(uri: try uri(), name: "Birds", description: "Feathers"),
      error(.membersUnknown("\(try uri())")), try note(.membersNotCounted(relationshipError())),
      try note(.namesNotLearned(relationshipError())),
    ]
  }

  private func jobs() throws -> [Message] {
    let stop = JobStop(.budget, "the points of the write budget are used up", until: 1_767_225_600_000_000)
    let signIn = JobStop(.notAuthorized, "the session has ended")
    let scope = JobStop(.notPermitted, "this session may not do this: Bad token scope")
    let foreign = Job(id: job, account: did, title: "follow", state: .waiting, createdAt: moment)
    return [
      try note(.jobCreated(job, steps: 9)), .jobPaused(job), .jobCancelled(job),
      .jobStopped(job, stop, account: handle, at: now), .jobStopped(job, signIn, account: handle, at: now),
      .jobStopped(job, scope, account: handle, at: now),
      .jobStopped(job, JobStop(.accountSuspended, "suspended"), account: handle, at: now),
      .jobStopped(job, JobStop(.accountDeactivated, "deactivated"), account: handle, at: now),
      .jobStopped(
        job, JobStop(.accountDeactivated, "deactivated"), account: handle,
        movedTo: try ServiceURL(parsing: "https://new.test"), at: now),
      try note(.jobInterrupted(job)), .jobWaiting(job, until: moment, .budget, at: now),
      .jobWaiting(job, until: moment, .rateLimit, at: now),
      .jobWaiting(job, until: moment, .trouble("the connection broke"), at: now), .jobDone(job),
      .jobEndedElsewhere(job, isDone: true), .jobEndedElsewhere(job, isDone: false), .jobEndsLater(job),
      .jobItemsSkipped(job, 1, of: 2), .jobItemsFailed(job, 1, of: 2), .nothingFailed(job),
      .jobsPruned(1), .jobsPruned(2), .noJobs, error(.nothingToUndo), .undoHint(job),
      try note(.filesNotRestorable(1)), try note(.filesNotRestorable(2)), .tookBack("people dismiss"),
      error(.lastChangeStays("follow", .isUnfinished, job: job, older: foreign)),
      error(.lastChangeStays("follow", .isUnfinished, job: job, older: nil)),
      error(.lastChangeStays("follow", .changedNothing, job: nil, older: foreign)),
      error(.lastChangeStays("report", .isFinal, job: nil, older: nil)),
      error(.lastChangeStays("people dismiss", .isTakenBack, job: nil, older: nil)),
      error(.lastChangeStays("follow", .removed, job: job, older: nil)),
      .jobsHidden(1), .jobsHidden(2),
      error(.jobOfAnotherAccount(foreign)),
      try note(.undoneAlong(1)), try note(.undoneAlong(450)),
      error(.jobNotWrittenDown(job)), error(.jobToResumeFirst(job)), .jobUndone(job),
      try note(.jobAbandoned(job)), try note(.edgesMadeUncompared),
      try note(.endsHeld(since: moment, due: 1)), try note(.endsHeld(since: moment, due: 2)),
    ]
  }

  private func streams() throws -> [Message] {
    let now = moment.instant
    let cursor = StreamCursor(host: "jetstream.test", sequence: 7, at: now)
    let gap = StreamGap(since: now - .seconds(60), until: now, .cursorTooOld)
    let elsewhere = StreamGap(since: now - .seconds(60), until: now, .otherPlace)
    let tooLarge = StreamGap(since: now - .seconds(60), until: now, .messageTooLarge)
    var row = StreamRow(did, cursor)
    row.add(cursor, [], lastChange: nil)
    var missed = row
    missed.add(cursor, [HistoryGap(since: now - .seconds(60), until: now)], lastChange: now - .seconds(30))
    var outcome = FollowLive.Outcome(accounts: 1)
    outcome.cursor = cursor
    var counted = outcome
    counted.events = ["gained": 2, "lost": 1]
    return [
      try note(
        .streamConnected(JetstreamConnection(host: "jetstream.test", wire: .v2, resumedAfter: cursor))),
      try note(.streamConnected(JetstreamConnection(host: "jetstream.test", wire: .v1, resumedAfter: nil))),
      try note(
        .streamBroken(TransportError(.connectionLost, host: "jetstream.test"), retryIn: .milliseconds(250))),
      try note(.streamGap(gap)), try note(.streamGap(elsewhere)), try note(.streamGap(tooLarge)),
      try note(
        .streamUnavailable(StreamError(.notAStream, host: "jetstream.test", detail: "it answered 404"))),
      try note(
        .notificationsNotRead(TransportError(.connectionLost, host: "pds.test"), retryIn: .seconds(120))),
      try note(.notificationsMissed(read: 10_000, before: moment)),
      .liveSummary(outcome), .liveSummary(counted),
      .streamTraffic(854_000_000, of: .publicJetstream), .followedLive(row, at: moment),
      .followedLive(missed, at: moment),
    ]
  }

  private func daemon() throws -> [Message] {
    var status = DaemonStatus(
      interface: 1, version: "1.2.3", appview: "https://appview.test", watched: 2, behindSince: nil,
      place: nil, isWatched: true)
    var messages: [Message] = try DaemonTask.allCases.map { task in
      try note(.daemonTaskFailed(task, TransportError(.connectionLost, host: "appview.test")))
    }
    messages += [
      .daemonSummary(RunDaemon.Outcome()), .daemonRuns(process: "4711"), .daemonRuns(process: nil),
      .daemonState(.success(status), isThere: true, at: moment),
    ]
    status.place = moment
    messages.append(.daemonState(.success(status), isThere: true, at: moment))
    status.behindSince = moment
    messages.append(.daemonState(.success(status), isThere: true, at: moment))
    for absence: DaemonClient.Absence in [.none, .otherVersion("9.0.0"), .otherAppView("https://other.test")]
    {
      messages.append(.daemonState(.failure(absence), isThere: true, at: moment))
    }
    messages.append(.daemonState(.failure(.none), isThere: false, at: moment))
    do throws(LocalHTTPError) {
      _ = try HTTPListener(path: String(repeating: "long/", count: 30))
    } catch {
      messages.append(.daemonSocket(error))
    }
    return messages
  }

  private func dashboard() -> [Message] {
    let address = "http://127.0.0.1:8300/enter?token=\(String(repeating: "0", count: 64))"
    let taken = LocalHTTPError(.cannotListen, address: "127.0.0.1:8300", reason: "Address already in use")
    return [
      .dashboardAddress(address), .dashboardEntered(next: address), .dashboardEnded, .dashboardPort(taken),
      .invalidHostName("devbox"),
    ]
  }

  private func histories() throws -> [Message] {
    let listing = HistoryListing(.followers, of: did)
    let members = HistoryListing(membersOf: try RecordKey(parsing: "3k2a"), of: did)
    let snapshot = Snapshot(
      id: ObservationID(number: 7), listing: listing, state: .failed, startedAt: 0, previousAt: nil,
      previousFullAt: nil)
    var full = snapshot
    full.state = .complete
    (full.counts.gained, full.counts.lost, full.counts.unconfirmed) = (2, 1, 3)
    var summary = SnapshotSummary()
    summary.add(SnapshotRecorder.Outcome(snapshot: full, fault: nil))
    var failed = summary
    failed.add(SnapshotRecorder.Outcome(snapshot: snapshot, fault: relationshipError()))
    let now = moment.instant
    var coverage = AuditCoverage()
    (coverage.undecided, coverage.follows) = (3, 120)
    coverage.undecidedFault = relationshipError()
    let directory = try ServiceURL(parsing: "http://plc.test")
    return [
      try note(.snapshotIncomplete(full, unreadable: 1)), try note(.snapshotIncomplete(full, unreadable: 2)),
      .blockersNeedIndex("me"), error(.graphNeedsIndex(.tangled, .handle(handle))),
      .graphsCompared(CompareGraphs.Outcome(first: .bluesky, second: .tangled)),
      .cursorOfAnotherGraph(.grain),
      .appViewsCompared(CompareAppViews.Outcome(first: directory, other: directory, compared: 3)),
      .appViewsCompared(CompareAppViews.Outcome(first: directory, other: directory)),
      .appViewsCompared(
        CompareAppViews.Outcome(
          first: directory, other: directory, compared: 3, isPart: true, firstIsRight: 2, otherIsRight: 1,
          unsettled: 1)),
      .appViewFailed(2, (directory, TransportError(.timedOut, host: "appview.test"))),
      .namesNotCompared(2, ("nobody.test", "no account has this handle")), error(.sameAppView(directory)),
      error(.edgeNotSearched(did, 3_000)),
      error(.unknownToAppView(did, directory)), .nothingFixed,
      error(.onListNeedsIndex), error(.noHistory),
      try note(.plainDirectory(directory)),
      error(.mutesOfOthers(did)),
      try note(.snapshotFailed(snapshot, relationshipError())),
      .snapshotSummary(summary, CallCost(), elapsed: .milliseconds(310)),
      .snapshotSummary(failed, CallCost(), elapsed: .milliseconds(310)),
      .historySummary(ListChanges.Outcome()), .historySummary(ListChanges.Outcome(kinds: [.gained: 2])),
      .historySummary(
        ListChanges.Outcome(
          kinds: [.gained: 1, .returned: 1, .lost: 3], causes: [.unfollowed: 2, .deleted: 1])),
      .notExamined(.follows, relationshipError()),
    ]
      + (try streams()) + (try daemon()) + dashboard()
      + AuditFinding.Kind.allCases.flatMap { kind in
        [Message.auditStep(kind, 1, hidden: 0), .auditStep(kind, 7, hidden: 2)]
      } + [
        .auditSummary([:], AuditCoverage(), CallCost(), elapsed: .milliseconds(310)),
        .auditSummary(
          [.duplicate: 1, .ghost: 2, .subscription: 1], coverage, CallCost(), elapsed: .milliseconds(310)),
        .present("a.test", listing, since: Observation(.init(number: 1), .snapshot, after: nil, by: now)),
        .present("a.test", members, since: Observation(.init(number: 1), .snapshot, after: now, by: now)),
        .neverSeen("a.test"), .noneWatched,
        .present(
          "a.test", members,
          since: Observation(.init(number: 1), .event(stream: "jetstream"), after: now, by: now)),
        .neverSeen("a.test"), .noneWatched,
        .watched(WatchAccounts.Outcome(added: 1)), .watched(WatchAccounts.Outcome(known: 2)),
        .unwatched(UnwatchAccounts.Outcome(removed: 1)), .unwatched(UnwatchAccounts.Outcome(unknown: 1)),
        .noFiles("/data/kith"), .soundFiles, .damagedFiles, .backedUp("/copies/kith.sqlite"),
        .backupsRemoved(1, from: "/copies"), .backupsRemoved(2, from: "/copies"),
        .restored(.history, from: "/copies"), .noBackup("/copies"), .restoredJobs(open: 1, due: 2),
        .timerIsOff("kith-due.timer"),
        .observed(
          WatchRow(actor: WatchedActor(did, since: 0), view: nil, snapshotAt: 1_767_225_600_000_000),
          at: Datetime(at: 1_767_312_000_000_000)),
        .observed(
          WatchRow(actor: WatchedActor(did, since: 0), view: nil, snapshotAt: nil), at: Datetime(at: now)),
        .vacuumed(.history, from: 9, to: 4), .historyPruned(1), .historyPruned(2),
        .historyForgotten(1, unknown: 0), .historyForgotten(2, unknown: 1),
        Message(HistoryError.noSnapshot(of: did)), Message(HistoryError.inUse(listing)),
      ]
  }

  private func followBackScreened() -> Message {
    var candidates = FollowBackScreening()
    (candidates.blocked, candidates.muted, candidates.unknown) = (1, 2, 3)
    candidates.labelled = ["labels.test": 4, "other.test": 5]
    return .followBackScreened(candidates)
  }

  private func posts() throws -> [Message] {
    let text = "Hi @alice.test, see example.com #x"
    var outcome = PostComposition()
    outcome.drafts = [
      PostDraft(RichText(MarkedText(text), accounts: [handle: did])), PostDraft(RichText("2")),
    ]
    outcome.drafts[0].audience.replies = [.followers, .mentioned, .list(try uri())]
    (outcome.unknownHandles, outcome.unresolvedHandles) = ([handle], [handle])
    outcome.audienceFault = RelationshipError.postNotFound(try uri())
    outcome.cardFault = TransportError(.cannotResolveHost, host: "example.com", detail: "")
    outcome.drafts[0].card = PostDraft.Card(
      try URI(parsing: "https://example.com"), title: "T", description: "")
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../KithPostsTests/Pictures/photo.jpg").standardized
    let picture = PreparedPicture(
      path: "sea.jpg", picture: try Picture(Array(try Data(contentsOf: file))), conversion: nil)
    let converted = PreparedPicture(
      path: "sea.heic", picture: try Picture(picture.picture.bytes),
      conversion: "it has to be turned to be upright")
    let animated = PreparedPicture(
      path: "sea.gif", picture: try Picture(Array(picture.picture.bytes.dropLast(2))),
      conversion: PictureError(.otherType).description, frames: 3)
    return Message.previews(of: outcome) + [
      picture.preview(alt: "Waves"), converted.preview(alt: ""), picture.preview(alt: nil),
      animated.preview(alt: "Waves"), .unusablePicture("sea.jpg", PictureError(.damaged).description),
      .noPhotoProgram("sea.gif", PictureError(.otherType).description, packages: PhotoConverter.packages),
      .photoProgramFailed("sea.gif", "vips", status: 1),
      error(.emptyPost), error(.controlCharacter("U+001B", in: "the text")),
      error(.postTooLong(String(repeating: "x", count: 301))),
      error(.postTooLong(String(repeating: "👨‍👩‍👧", count: 200))), error(.threadTooLong(51)),
      error(.markTooLong("https://example.com/\(String(repeating: "a", count: 300))")),
      error(.repliesClosed(try uri())), error(.quotesClosed(try uri())),
      error(.postStateUnknown(try uri(), "which thread it belongs to")),
      error(.audienceUnknown(RelationshipError.postNotFound(try uri()))),
    ]
  }

  private func leftOut() -> LeftOutCounts {
    var counts = LeftOutCounts()
    (counts.blocked, counts.muted, counts.unknown) = (1, 2, 3)
    return counts
  }

  private func notificationsRead() -> Message {
    var outcome = ReadNotifications.Outcome()
    (outcome.leftOut.muted, outcome.unread, outcome.seen) = (2, 9, Datetime(at: .epoch))
    return .notificationsRead(outcome)
  }

  private func notificationsOfAKind() -> Message {
    var outcome = ReadNotifications.Outcome()
    (outcome.kinds, outcome.since, outcome.unread) = (
      [AccountNotification.Kind(rawValue: "quote")], Datetime(at: .epoch), 8
    )
    return .notificationsRead(outcome)
  }

  private func feedRead(_ source: FeedSource.Kind) -> Message {
    var outcome = ReadFeed.Outcome(source: source, isHiddenByServer: source == .timeline)
    if source == .authors {
      var accounts = ReadFeed.Accounts()
      (accounts.read, accounts.all, accounts.muted) = (500, 1_340, 2)
      outcome.accounts = accounts
      (outcome.coverage.leftOut.blocked, outcome.coverage.leftOut.muted) = (1, 2)
      outcome.coverage.accountsUnread = 3
      outcome.cursor = FeedCursor("authors.1767225600000000+1")
    }
    return .feedRead(outcome)
  }

  private func transfers() throws -> [Message] {
    let some = ImportPreview([
      .follow: .init(planned: 2, unchanged: 1, repeated: 3), .list: .init(planned: 1, refused: 2),
      .listMute: .init(unchanged: 2),
    ])
    return [
      .exportSummary(1, to: nil, CallCost(), elapsed: .milliseconds(310)),
      .exportSummary(2, to: "me.csv", CallCost(), elapsed: .milliseconds(310)),
      try note(.membersLeftOut(1)), try note(.membersLeftOut(2)), .importPreview(some),
      try note(.followsLeftOut(FollowGraph.known.suffix(2))),
      try note(.otherFollowsUnknown(.invalidResponse)),
      .importPreview(ImportPreview([:])),
      error(.importNeedsKind(1)), error(.importNeedsKind(2)),
      error(.importEmpty), error(.unknownListInFile(try uri())), error(.requestChanged(did)),
      .peopleFound(PeopleFound()), .noneDismissed, .noTerminal,
      .peopleDismissed(DismissPeople.Outcome(areTakenBack: false)),
      .peopleDismissed(DismissPeople.Outcome(areTakenBack: true)),
      .contactsUnreadable(ContactReader.Contacts(), in: "a.csv"),
      .contactsMatched(ContactsMatched(contacts: 3)),
      feedRead(.timeline), feedRead(.list), feedRead(.author), feedRead(.authors),
      .followBackScreened(FollowBackScreening()), followBackScreened(),
      .followBackPaced(perHour: 5, perDay: 20), .followBackPaced(perHour: nil, perDay: 20),
      notificationsRead(), notificationsOfAKind(), .noSubscriptions, .listIsPublic,
      error(.noNotificationSetting("x", known: ["like", "reply"])),
      error(.noChoice(of: "include", for: "verified")),
      .threadRead(ReadThread.Outcome(leftOut: LeftOutCounts(), rows: RowsOutcome())),
      .threadRead(ReadThread.Outcome(leftOut: leftOut(), rows: RowsOutcome())),
      error(.cursorOfAnotherFeed(FeedCursor(.list, page: nil, after: .init(moment: .epoch, count: 1)))),
    ] + (try posts()) + [
      .friendsArePublic, .approvalNotAsked, .friendsListed(ListFriends.Outcome()),
      .inboxListed(ListReceivedRequests.Outcome(source: .index(after: 0), page: 1)),
      .inboxListed(ListReceivedRequests.Outcome(source: .neighbours(after: 0, most: 200), page: 2)),
      .inboxListed(ListReceivedRequests.Outcome(source: .accounts([did]), page: 1)),
      .requestsUnreadable(1), .noneSent, .friendsSynced(FriendSyncCounts()),
      Message(preparing: .audienceCompared(friends: 0, undecided: 0)),
      try note(.importSkipped(SkippedRows(followers: 2, lists: 0, oneself: 0, ended: 2))),
      try note(.importSkipped(SkippedRows(followers: 1, lists: 1, oneself: 1, ended: 1))),
      try note(.importSkipped(SkippedRows(otherFollows: 3, in: ["grain", "tangled"]))),
      try note(.partNotExported("friends", relationshipError())),
      try note(.importSkipped(SkippedRows(statements: 1, of: ["profile"]))),
      try note(.importSkipped(SkippedRows(statements: 3, of: ["friend-answer", "profile"]))),
      .statementsAreApart([.friendAnswer, .profile]),
      .requestsUnseen([UnseenRequest(name: "dave.test", request: try friendRequest())], at: now),
      error(.requestsUnseen([UnseenRequest(name: "dave.test", request: try friendRequest())])),
    ]
  }

  /// What the command adds to errors of the libraries.
  private func hints() -> [Message] {
    let account = ATIdentifier.handle(handle)
    return [
      Message(SessionError.notSignedIn(account)),
      Message(SessionError(.ended, subject: handle, detail: "its session has expired")),
      Message(SessionError(.noneChosen, subject: "", detail: "2 accounts are signed in")),
      Message(SessionError(.ambiguousHandle, subject: handle, detail: "2 accounts are signed in under it")),
      Message(SessionError(.unverifiedHandle, subject: handle, detail: "nothing was sent")),
      Message(SessionError(.plainText, subject: "http://pds.test", detail: "nothing was sent")),
      Message(unsafe(SecureFolderError(path: "/state", .accessibleToOthers(mode: 0o755, wanted: 0o700)))),
      Message(unsafe(SecureFolderError(path: "/it's", .parentWritableByOthers(mode: 0o777)))),
      Message(unsafe(SecureFolderError(path: "/b/kith.sqlite", .writableByOthers(mode: 0o666)))),
      Message(unsafe(SecureFolderError(path: "/state", .foreignOwner(7)))),
      Message(unsafe(SecureFolderError(path: "/state", .symbolicLink))),
      Message(unsafe(SecureFolderError(path: "/state", .hardLink))),
      Message(unsafe(SecureFolderError(path: "/state", .notAFolder))),
      Message(RelationshipError(.rateLimited, detail: "asked too often", retryAfter: .seconds(900))),
      Message(JobError.notFound(job)), Message(other: CancellationError()),
      Message(JobError.held(job, by: nil)).about("job 3", "job", .job(job)),
    ]
  }

  /// Which members of a list to be blocked are followed.
  private func reaches() throws -> [Message] {
    var reach = ListReach(list: try uri(), purpose: .curate)
    let unknown = Message.reach(of: reach)
    reach.followed = [
      ListReach.Member(name: "bob.test", isMutual: true),
      ListReach.Member(name: "carol.test", isMutual: false),
    ]
    let some = Message.reach(of: reach)
    reach.isPartial = true
    let partial = Message.reach(of: reach)
    reach.followed = []
    return [unknown, some, partial, Message.reach(of: reach)].compactMap(\.self)
  }

  /// What the command adds to refusals and to errors of jobs.
  private func changeHints() throws -> [Message] {
    let mutual = RelationshipInfo(
      actor: did, target: Accounts.did(2), following: try uri(), followedBy: try uri(), checkedAt: moment,
      source: .appview)
    let refusals: [ChangeRefusal] = [
      .awaited(job), .contested(job), .unsettled(job), .noSuchList(try uri()), .followed(mutual),
      .mutedOtherwise(.reposts),
    ]
    let errors: [JobError] = [
      .inDoubt(job, 2), JobError(.wrongAccount, job, "job 3 belongs to \(did), which alone can run it"),
    ]
    let full = StoreError(.full, path: "/data/kith.sqlite", "there is no room left on its disk")
    let unsafe = StoreError(SecureFolderError(path: "/data/kith.sqlite", .symbolicLink))
    return refusals.map { Message($0) } + errors.map { Message($0) }
      + [
        Message(full), Message(UnrecordedChangeError(full)),
        Message(UnrecordedChangeError(unsafe)),
      ]
  }

  private func questions() throws -> [Question] {
    let cid = try #require(CID("bafyreifepiu23okq5zuyvyhsoiazv2icw2van3s42uqj3iucdpdoj5fxfa"))
    let reports = [Report.Subject.account(did), .record(try uri(), cid)].map { subject in
      Question.report(Report(subject, reason: .spam, text: nil), name: "spam.test")
    }
    return reports + [
      .requestInstead(of: did, name: "bob.test"), .longList(try uri(), most: 150),
      .blockReported(did, name: "spam.test"), .endRestored([], since: moment),
    ]
  }

  private func unsafe(_ file: SecureFolderError) -> SessionError {
    SessionError(.unsafeFile, subject: file.path, detail: file.detail, underlying: file)
  }

  // MARK: Wrong usage

  private func addUsage(to catalogue: inout WordingCatalogue) {
    for line in WrongUsage.lines {
      let error = #expect(throws: (any Error).self, "\(line)") {
        try Kith.parseLine(line)
      }
      guard let error else { continue }
      #expect(Kith.exitCode(for: error).rawValue == ExitStatus.usage.rawValue, "\(line)")
      catalogue.add("usage error", "kith \(line): \(Kith.message(for: error))")
    }
  }
}
