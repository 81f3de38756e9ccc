// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import KithCore
import KithLexicons
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithWriting

@Suite struct PDSRepositoryTests {
  private let account = Accounts.did(0)
  private let follow = "app.bsky.graph.follow"

  // MARK: Commits

  @Test(arguments: PDSDouble.Manner.allCases)
  func writesInOneCommitUnderItsOwnKeysAndForItsDID(manner: PDSDouble.Manner) async throws {
    let pds = PDSDouble(manner)
    pds.put(follow, "3old", subject: Accounts.did(2))
    try await pds.repository().commit([.create("3a"), .delete("3old"), .create("3b", 3)])
    #expect(pds.records.keys.sorted() == ["\(follow)/3a", "\(follow)/3b"])
    #expect(pds.records["\(follow)/3a"]?["subject"] == .string("\(Accounts.did(1))"))
    #expect(pds.commits.count == 1)
  }

  // MARK: Commits of other apps

  /// The reference and the lenient PDS compare commits; arroba does not, so it is asked before.
  @Test(arguments: PDSDouble.Manner.allCases)
  func writesNothingAfterACommitOfAnotherApp(manner: PDSDouble.Manner) async throws {
    let pds = PDSDouble(manner)
    let repository = try pds.repository()
    let basis = try await repository.list([.follow: .all]) { _, _, _ in }
    pds.put(follow, "3other", subject: Accounts.did(1))
    let error = await RepositoryError.thrown {
      _ = try await repository.commit([.create("3a")], after: basis)
    }
    #expect(error?.code == .outdated)
    #expect(pds.commits.isEmpty)
    // Read again, it can be done.
    let again = try await repository.list([.follow: .all]) { _, _, _ in }
    _ = try await repository.commit([.create("3a", 2)], after: again)
    #expect(pds.commits.count == 1)
  }

  @Test func ownCommitsFollowOnOneAnother() async throws {
    let pds = PDSDouble()
    let transport = pds.transport
    let repository = try pds.repository(over: transport)
    let basis = try await repository.list([.follow: .all]) { _, _, _ in }
    let first = try await repository.commit([.create("3a", 1)], after: basis)
    #expect(first?.cid.description == pds.head.cid)
    // Facts that were read before own commits are as good.
    let second = try await repository.commit([.create("3b", 2)], after: basis)
    #expect(second?.cid.description == pds.head.cid)
    var found: Set<RecordKey> = []
    let pages = transport.calls(of: "com.atproto.repo.listRecords")
    #expect(try await repository.list([.follow: .all]) { _, rkey, _ in found.insert(rkey) } == second)
    #expect(try found == Set(["3a", "3b"].map { try RecordKey(parsing: $0) }))
    #expect(transport.calls(of: "com.atproto.repo.listRecords") == pages)
  }

  /// Between the answer to the question and the commit, another app may be faster: what it has made is looked up.
  @Test func aServerThatDoesNotCompareCommitsIsAskedWhatCameBefore() async throws {
    let pds = PDSDouble(.arroba)
    let transport = pds.transport
    let repository = try pds.repository(over: transport)
    let basis = try await repository.list([.follow: .all]) { _, _, _ in }
    let first = try await repository.commit([.create("3a", 1)], after: basis)
    #expect(first?.cid.description == pds.head.cid)
    pds.before("com.atproto.repo.applyWrites") {
      $0["app.bsky.graph.follow/3c"] = PDSDouble.edge("app.bsky.graph.follow", Accounts.did(7))
    }
    #expect(try await repository.commit([.create("3b", 2)], after: first) == nil)
    // What was known before is not enough for another commit.
    await #expect { try await repository.commit([.create("3d", 3)], after: first) } throws: {
      ($0 as? RepositoryError)?.code == .outdated
    }
    var found: Set<RecordKey> = []
    let again = try await repository.list([.follow: .all]) { _, rkey, _ in found.insert(rkey) }
    #expect(again?.cid.description == pds.head.cid)
    #expect(try found == Set(["3a", "3b", "3c"].map { try RecordKey(parsing: $0) }))
    #expect(pds.commits.count == 2)
    // Its refusal is remembered.
    #expect(transport.calls(of: "com.atproto.repo.applyWrites") == 3)
  }

  @Test func aServerThatNamesNoCommitsTakesThemAsTheyCome() async throws {
    let pds = PDSDouble()
    pds.change { $0.tellsLatestCommit = false }
    let repository = try pds.repository()
    let basis = try await repository.list([.follow: .all]) { _, _, _ in }
    #expect(basis == nil)
    #expect(try await repository.commit([.create("3a", 1)], after: basis) == nil)
    #expect(pds.commits.count == 1)
  }

  /// A refusal for another reason is not taken for a commit of another app.
  @Test(arguments: PDSDouble.Manner.allCases)
  func aRefusalOfTheWritesStaysOne(manner: PDSDouble.Manner) async throws {
    let pds = PDSDouble(manner)
    let repository = try pds.repository()
    let basis = try await repository.list([.follow: .all]) { _, _, _ in }
    pds.change { $0.faults = [.answer(.xrpcError(400, "InvalidRequest", "Invalid record"))] }
    let error = await RepositoryError.thrown {
      _ = try await repository.commit([.create("3a")], after: basis)
    }
    #expect(error?.code == .refused)
  }

  @Test func sendsNothingForAnEmptyOrOversizedCommit() async throws {
    let pds = PDSDouble()
    let transport = pds.transport
    let repository = try pds.repository(over: transport)
    try await repository.commit([])
    let writes = try (0..<201).map { try RecordWrite.create("3k\($0)", $0) }
    #expect(await RepositoryError.thrown { try await repository.commit(writes) }?.code == .tooLarge)
    #expect(transport.requests.isEmpty)
  }

  @Test func sendsNothingAfterCancellation() async throws {
    let pds = PDSDouble()
    let transport = pds.transport
    let repository = try pds.repository(over: transport)
    let write = try RecordWrite.create("3a")
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await repository.commit([write])
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(transport.requests.isEmpty)
  }

  @Test func isInDoubtIfCancelledWhileSending() async throws {
    let pds = PDSDouble()
    let turnstile = Turnstile(isOpen: false)
    let transport = ScriptedTransport(turnstile: turnstile) { try pds.answer($0) }
    let repository = try pds.repository(over: transport)
    let write = try RecordWrite.create("3a")
    let task = Task { try await repository.commit([write]) }
    await turnstile.untilArrived(1)
    task.cancel()
    #expect(await RepositoryError.thrown { try await task.value }?.code == .inDoubt)
  }

  struct Verdict: Sendable {
    let fault: PDSDouble.Fault
    let code: RepositoryError.Code
    init(_ code: RepositoryError.Code, _ fault: PDSDouble.Fault) { (self.code, self.fault) = (code, fault) }
    init(_ code: RepositoryError.Code, _ status: Int, _ name: String, _ words: String = "") {
      self.init(code, .answer(.xrpcError(status, name, words)))
    }
    init(_ code: RepositoryError.Code, _ status: Int, plain words: String) {
      self.init(code, .answer(TransportResponse(status: status, words, type: "text/plain")))
    }
  }

  static let verdicts: [Verdict] = [
    Verdict(.inDoubt, .requestLost(.connectionLost)), Verdict(.inDoubt, .answerLost(.connectionLost)),
    Verdict(.inDoubt, .answerLost(.timedOut)), Verdict(.inDoubt, .answerLost(.truncatedBody)),
    Verdict(.inDoubt, .answerLost(.malformedResponse)), Verdict(.inDoubt, .requestLost(.closed)),
    Verdict(.inDoubt, .doneButAnswered(TransportResponse("<html>signed in to the wifi</html>"))),
    Verdict(.inDoubt, 502, "", ""), Verdict(.inDoubt, 504, plain: "upstream"),
    Verdict(.inDoubt, 503, plain: "reset before headers"), Verdict(.inDoubt, 408, plain: ""),
    Verdict(.unavailable, .requestLost(.cannotConnect)), Verdict(.unavailable, .requestLost(.tlsFailure)),
    Verdict(.unavailable, .requestLost(.cannotResolveHost)),
    Verdict(.unavailable, .requestLost(.proxyRefused)),
    Verdict(.unavailable, .requestLost(.forbiddenAddress)),
    Verdict(.unavailable, .requestLost(.unsupported)),
    Verdict(
      .unavailable, .answer(.xrpcError(503, "Busy", "", fields: HTTPFields(named: ["Retry-After": "7"])))),
    Verdict(.unavailable, 404, plain: "404 page not found"), Verdict(.unavailable, 405, plain: ""),
    Verdict(.unavailable, 307, plain: ""), Verdict(.unavailable, 425, plain: ""),
    Verdict(.tooLarge, 413, plain: "request entity too large"),
    Verdict(.tooLarge, 400, "InvalidRequest", "Too many writes. Max: 10"),
    Verdict(.tooLarge, 400, plain: "request body too large"), Verdict(.tooLarge, 413, "PayloadTooLarge"),
    Verdict(.notAuthorized, 401, plain: "unauthorized"), Verdict(.notAuthorized, 403, "Forbidden"),
    Verdict(.notAuthorized, 400, "ExpiredToken"), Verdict(.notAuthorized, 400, "InvalidToken"),
    Verdict(.notAuthorized, 401, "AuthMissing"),
    Verdict(.accountSuspended, 400, "AccountTakedown"), Verdict(.accountSuspended, 400, "AccountSuspended"),
    Verdict(.accountSuspended, 403, "RepoTakendown"), Verdict(.accountDeactivated, 400, "AccountDeactivated"),
    Verdict(.accountDeactivated, 400, "RepoDeactivated"),
    Verdict(.notAuthorized, 400, "InvalidToken", "Token could not be verified"),
    Verdict(.notPermitted, 400, "InvalidToken", "Bad token scope"),
    Verdict(.notPermitted, 401, "InvalidToken", "Bad token method"),
    Verdict(.notPermitted, 403, "InsufficientScope", "missing scope rpc"),
    Verdict(.refused, 400, "InvalidRequest", "Invalid app.bsky.graph.follow record: subject"),
    Verdict(.unavailable, 400, "InvalidRequest", "too many concurrent writes"),
    Verdict(.unavailable, 400, "InvalidSwap", "Commit was at bafy"),
    Verdict(.refused, 400, plain: "bad record"), Verdict(.refused, 501, "MethodNotImplemented"),
    Verdict(.refused, 404, "XRPCNotSupported"), Verdict(.refused, .requestLost(.invalidRequest)),
    Verdict(
      .rateLimited,
      .answer(
        .xrpcError(429, "RateLimitExceeded", "", fields: HTTPFields(named: ["Retry-After": "30"])))),
  ]

  @Test(arguments: verdicts) func classifiesFailures(verdict: Verdict) async throws {
    let pds = PDSDouble()
    pds.change { $0.faults = [verdict.fault] }
    let repository = try pds.repository()
    let error = await RepositoryError.thrown { try await repository.commit([.create("3a")]) }
    #expect(error?.code == verdict.code, "\(String(describing: error))")
    #expect(error?.underlying is XRPCError)
  }

  private static func blob(_ cid: String) throws -> Blob {
    Blob(ref: try CID(parsing: cid), mimeType: "image/png", size: 5)
  }

  /// As after a migration, or with the references of old records.
  @Test(arguments: [("BlobNotFound", true), ("BlobNotFound", false), ("InvalidRequest", false)])
  func saysWhichPictureOfAProfileTheServerDoesNotAccept(name: String, isNamed: Bool) async throws {
    let (avatar, banner) = (
      try Self.blob("bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"),
      try Self.blob("bafkreie5funpy4fwncnvnsyhgjpdwsd46yagm264usar4aesev7fqv3iyu")
    )
    let words = isNamed ? "Could not find blob: \(banner.ref)" : "Legacy blobs are not allowed"
    let pds = PDSDouble()
    pds.change { $0.faults = [.answer(.xrpcError(400, name, words))] }
    let profile = DataValue.object([
      "$type": "app.bsky.actor.profile", "avatar": try DataValue(encoding: avatar),
      "banner": try DataValue(encoding: banner),
    ])
    let write = RecordWrite(
      collection: .profile, rkey: .literalSelf, action: .update(profile, former: nil))
    let repository = try pds.repository()
    let error = await RepositoryError.thrown { try await repository.commit([write]) }
    #expect(error?.code == .refused && RepositoryError.refusesFiles(error?.detail ?? ""))
    #expect(error?.detail.contains("avatar") == !isNamed && error?.detail.contains("banner") == true)
  }

  /// A server can miss a file that the new record does not name, such as that of the former one.
  @Test(arguments: [false, true]) func saysThatNoPictureOfTheProfileIsMeant(hasAvatar: Bool) async throws {
    let other = "bafkreie5funpy4fwncnvnsyhgjpdwsd46yagm264usar4aesev7fqv3iyu"
    let pds = PDSDouble()
    pds.change { $0.faults = [.answer(.xrpcError(400, "BlobNotFound", "Could not find blob: \(other)"))] }
    var profile: DataObject = ["$type": "app.bsky.actor.profile"]
    if hasAvatar {
      let avatar = try Self.blob("bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku")
      profile["avatar"] = try DataValue(encoding: avatar)
    }
    let write = RecordWrite(
      collection: .profile, rkey: .literalSelf, action: .update(.object(profile), former: nil))
    let repository = try pds.repository()
    let error = await RepositoryError.thrown { try await repository.commit([write]) }
    #expect(error?.code == .refused && RepositoryError.refusesFiles(error?.detail ?? ""))
    #expect(error?.detail.contains("avatar") == false && error?.detail.contains(other) == true)
  }

  @Test func reportsHowLongToWait() async throws {
    let pds = PDSDouble()
    let fields = HTTPFields(named: ["Retry-After": "30"])
    pds.change { $0.faults = [.answer(.xrpcError(429, "RateLimitExceeded", "slow down", fields: fields))] }
    let repository = try pds.repository()
    let error = await RepositoryError.thrown { try await repository.commit([.create("3a")]) }
    #expect(error?.retryAfter == .seconds(30))
  }

  /// What the limiter of a failing host holds back was certainly not sent.
  @Test func isCertainOfWhatWasNotSent() async throws {
    let pds = PDSDouble()
    let fields = HTTPFields(named: ["Retry-After": "3600"])
    pds.change { $0.faults = [.answer(.xrpcError(429, "RateLimitExceeded", "slow down", fields: fields))] }
    let repository = try pds.repository()
    #expect(
      await RepositoryError.thrown { try await repository.commit([.create("3a")]) }?.code == .rateLimited)
    let second = await RepositoryError.thrown { try await repository.commit([.create("3a")]) }
    #expect(second?.code == .rateLimited)
    #expect((second?.underlying as? XRPCError)?.wasSent == false)
    #expect(pds.records.isEmpty)
  }

  private struct BrokenCredentials: CredentialSource {
    let service: ServiceURL
    let error: SessionError
    func token() async throws -> SessionToken { throw error }
    func token(after refused: SessionToken, isExpired: Bool) async throws -> SessionToken { throw error }
  }

  /// Without a token nothing is sent, however the token exchange went.
  @Test func isCertainOfWhatWasNotSigned() async throws {
    let pds = PDSDouble()
    var client = try pds.client()
    let parameters = Com.Atproto.Repo.DescribeRepo.Parameters(repo: .did(account))
    let broken = await #expect(throws: XRPCError.self) {
      try await client.query(Com.Atproto.Repo.DescribeRepo.self, parameters)
    }
    for (error, code) in [
      (SessionError(.ended, subject: account, detail: "revoked"), RepositoryError.Code.notAuthorized),
      (SessionError(.unavailable, subject: account, detail: "away", underlying: broken), .unavailable),
    ] {
      client = client.signed(by: BrokenCredentials(service: client.service, error: error))
      let repository = PDSRepository(account: account, pds: client)
      #expect(await RepositoryError.thrown { try await repository.commit([.create("3a")]) }?.code == code)
    }
    #expect(pds.commits.isEmpty)
  }

  // MARK: Acknowledgements

  static let weakAnswers = [
    "{}", #"{"results":[]}"#, #"{"results":[{"$type":"com.atproto.repo.applyWrites#deleteResult"}]}"#,
    #"{"results":[{"$type":"com.atproto.repo.applyWrites#createResult","uri":"at://did:plc:other/app.bsky.graph.follow/3a","cid":"bafyreihffx5a2e7k5uwrmmgofbvzujc5cmw5h4espouwuxt3liqoflx3ee"}]}"#,
  ]

  /// 200 proves nothing: what the answer does not acknowledge is read before it counts as done.
  @Test(arguments: weakAnswers) func isInDoubtIfNothingWasWritten(answer: String) async throws {
    let pds = PDSDouble()
    pds.change { $0.faults = [.answer(TransportResponse(answer))] }
    let repository = try pds.repository()
    let writes = [try RecordWrite.create("3a")]
    #expect(await RepositoryError.thrown { try await repository.commit(writes) }?.code == .inDoubt)
    #expect(try await !repository.resolveInDoubt(writes))
  }

  @Test(arguments: weakAnswers) func readsBackWhatIsNotAcknowledged(answer: String) async throws {
    let pds = PDSDouble()
    pds.put(follow, "3old", subject: Accounts.did(2))
    pds.change { $0.faults = [.doneButAnswered(TransportResponse(answer))] }
    try await pds.repository().commit([.create("3a"), .delete("3old")])
    #expect(pds.records.keys.sorted() == ["\(follow)/3a"])
  }

  @Test func isInDoubtIfARecordToBeDeletedIsStillThere() async throws {
    let pds = PDSDouble()
    pds.put(follow, "3old", subject: Accounts.did(2))
    pds.change { $0.faults = [.answer(TransportResponse("{}"))] }
    let repository = try pds.repository()
    #expect(await RepositoryError.thrown { try await repository.commit([.delete("3old")]) }?.code == .inDoubt)
  }

  /// Some servers ignore the keys that they are sent.
  @Test func learnsTheKeysThatTheServerGave() async throws {
    let pds = PDSDouble()
    pds.put(follow, "3old", subject: Accounts.did(2))
    pds.change { $0.choosesKeys = true }
    var keys: [String: String] = [:]
    _ = try await pds.repository().commit([.create("3a"), .delete("3old"), .create("3b", 3)], after: nil) {
      keys["\($0.rkey)"] = "\($1)"
    }
    #expect(keys == ["3a": "own-3a", "3b": "own-3b"])
    #expect(pds.records.keys.sorted() == ["\(follow)/own-3a", "\(follow)/own-3b"])
  }

  @Test func asksForNothingIfEveryWriteIsAcknowledged() async throws {
    let pds = PDSDouble()
    let transport = pds.transport
    try await pds.repository(over: transport).commit([.create("3a"), .create("3b", 2)])
    #expect(transport.requests.count == 1)
  }

  // MARK: Conflicting records

  /// The key is used by the same record: the same commit took effect, and its answer was lost.
  @Test(arguments: PDSDouble.Manner.allCases)
  func recognizesItsOwnEarlierWrite(manner: PDSDouble.Manner) async throws {
    let pds = PDSDouble(manner)
    pds.put(follow, "3old", subject: Accounts.did(2))
    pds.change { $0.faults = [.answerLost(.connectionLost)] }
    let repository = try pds.repository()
    let writes: [RecordWrite] = try [.create("3a"), .delete("3old")]
    #expect(await RepositoryError.thrown { try await repository.commit(writes) }?.code == .inDoubt)
    try await repository.commit(writes)
    #expect(pds.commits.count == 1)
    #expect(pds.records.keys.sorted() == ["\(follow)/3a"])
  }

  @Test(arguments: [PDSDouble.Manner.reference, .lenient])
  func refusesAKeyOfAnotherRecord(manner: PDSDouble.Manner) async throws {
    let pds = PDSDouble(manner)
    pds.put(follow, "3a", subject: Accounts.did(9))
    let repository = try pds.repository()
    let error = await RepositoryError.thrown { try await repository.commit([.create("3a")]) }
    #expect(error?.code == .taken)
    #expect(error?.detail.contains("\(follow)/3a") == true)
    #expect(pds.commits.isEmpty)
  }

  /// One of the records was deleted by others: the rest is still deleted, in one commit.
  @Test(arguments: PDSDouble.Manner.allCases)
  func leavesOutDeletionsOfMissingRecords(manner: PDSDouble.Manner) async throws {
    let pds = PDSDouble(manner)
    pds.put(follow, "3b", subject: Accounts.did(2))
    let repository = try pds.repository()
    try await repository.commit([.create("3new"), .delete("3a"), .delete("3b")])
    #expect(pds.commits.map(\.count) == [2])
    #expect(pds.records.keys.sorted() == ["\(follow)/3new"])
    try await repository.commit([.delete("3a"), .delete("3b")])
    #expect(pds.commits.count == 1)
  }

  @Test(arguments: [PDSDouble.Manner.reference, .lenient])
  func sendsTheMissingHalfOfAPartlyDoneCommit(manner: PDSDouble.Manner) async throws {
    let pds = PDSDouble(manner)
    pds.put(follow, "3a", subject: Accounts.did(1))
    try await pds.repository().commit([.create("3a", 1), .create("3b", 2)])
    #expect(pds.commits.map(\.count) == [1])
    #expect(pds.records.count == 2)
  }

  /// A server that fails for other reasons says nothing about the records.
  @Test func isInDoubtIfTheServerFailsForAnotherReason() async throws {
    let pds = PDSDouble()
    pds.put(follow, "3b", subject: Accounts.did(2))
    let broken = PDSDouble.Fault.answer(.xrpcError(500, "InternalServerError", "Internal Server Error"))
    pds.change { $0.faults = [broken, broken] }
    let repository = try pds.repository()
    #expect(
      await RepositoryError.thrown { try await repository.commit([.create("3a"), .delete("3b")]) }?.code
        == .inDoubt)
    #expect(await RepositoryError.thrown { try await repository.commit([.create("3a")]) }?.code == .inDoubt)
    #expect(pds.commits.isEmpty)
  }

  @Test func isInDoubtIfTheRepositoryCannotBeRead() async throws {
    let pds = PDSDouble(.lenient)
    pds.put(follow, "3a", subject: Accounts.did(9))
    pds.change { $0.answerToQuestions = TransportResponse(status: 502) }
    let repository = try pds.repository()
    #expect(await RepositoryError.thrown { try await repository.commit([.create("3a")]) }?.code == .inDoubt)
  }

  // MARK: Calls

  @Test func callsTheAppViewThatStoresTheMutes() async throws {
    let pds = PDSDouble()
    let appview = try #require(
      ServiceReference(did: DID(parsing: "did:web:appview.test"), service: "bsky_appview"))
    let repository = PDSRepository(account: account, pds: try pds.client(), appview: appview)
    let list = try ATURI(parsing: "at://\(account)/app.bsky.graph.list/3l")
    let calls: [ViewerCall] = [
      .mute(Accounts.did(1), .everything), .mute(Accounts.did(1), .reposts), .mute(Accounts.did(1), .quotes),
      .unmute(Accounts.did(1)), .muteList(list), .unmuteList(list),
    ]
    for call in calls { try await repository.call(call) }
    let actor = #""actor":"\#(Accounts.did(1))""#
    #expect(
      pds.calls
        == [
          "app.bsky.graph.muteActor {\(actor)}", #"app.bsky.graph.muteActor {\#(actor),"onlyReposts":true}"#,
          #"app.bsky.graph.muteActor {\#(actor),"onlyQuoteposts":true}"#,
          "app.bsky.graph.unmuteActor {\(actor)}",
          #"app.bsky.graph.muteActorList {"list":"\#(list)"}"#,
          #"app.bsky.graph.unmuteActorList {"list":"\#(list)"}"#,
        ].map { "\($0) \(appview)" })
  }

  @Test func isInDoubtIfCancelledDuringACall() async throws {
    let pds = PDSDouble()
    let turnstile = Turnstile(isOpen: false)
    let transport = ScriptedTransport(turnstile: turnstile) { try pds.answer($0) }
    let repository = try pds.repository(over: transport)
    let task = Task { try await repository.call(.mute(Accounts.did(1), .everything)) }
    await turnstile.untilArrived(1)
    task.cancel()
    #expect(await RepositoryError.thrown { try await task.value }?.code == .inDoubt)
    let early = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await repository.call(.unmute(Accounts.did(1)))
    }
    await #expect(throws: CancellationError.self) { try await early.value }
    #expect(transport.requests.count == 1)
  }

  /// A call is idempotent.
  @Test func repeatsCalls() async throws {
    let pds = PDSDouble()
    let answers = PosixMutex([502, 503])
    let transport = ScriptedTransport { request in
      if let status = answers.withLock({ $0.popLast() }) { return TransportResponse(status: status) }
      return try pds.answer(request)
    }
    let client = XRPCClient(
      service: try ServiceURL(parsing: "https://pds.test"), transport: transport,
      time: ManualClock(.skipping).timeSource())
    try await PDSRepository(account: account, pds: client).call(.unmute(Accounts.did(1)))
    #expect(transport.requests.count == 3)
    #expect(pds.calls.count == 1)
  }
}
