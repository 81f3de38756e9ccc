// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import KithClient
import KithCore
import KithRelationships
import TestSupport
import Testing

@Suite struct AppViewRelationshipSourceTests {
  private let actor = Accounts.did(0)

  private func source(
    _ transport: ScriptedTransport, retry: RetryPolicy = .never
  ) throws -> AppViewRelationshipSource {
    AppViewRelationshipSource(
      client: XRPCClient(
        service: try ServiceURL(parsing: "https://appview.test"), transport: transport,
        configuration: XRPCClient.Configuration(retry: retry), time: ManualClock(.skipping).timeSource()))
  }

  private func row(_ number: Int, _ edges: String = "") -> String {
    #"{"$type":"app.bsky.graph.defs#relationship","did":"\#(Accounts.did(number))"\#(edges)}"#
  }

  private func absent(_ number: Int) -> String {
    #"{"$type":"app.bsky.graph.defs#notFoundActor","actor":"\#(Accounts.did(number))","notFound":true}"#
  }

  private func body(actor: Int? = 0, _ rows: [String]) -> TransportResponse {
    let actor = actor.map { #""actor":"\#(Accounts.did($0))","# } ?? ""
    return TransportResponse(#"{\#(actor)"relationships":[\#(rows.joined(separator: ","))]}"#)
  }

  private func ask(
    _ response: TransportResponse, with numbers: Range<Int> = 1..<3
  ) async throws -> [DID: RelationshipFinding] {
    try await findings(source(ScriptedTransport(responses: [response])), Accounts.dids(numbers))
  }

  /// The findings of a source for each target.
  private func findings(
    _ source: AppViewRelationshipSource, _ targets: [DID]
  ) async throws -> [DID: RelationshipFinding] {
    let findings = try await source.relationships(of: actor, with: targets)
    try #require(findings.count == targets.count)
    return Dictionary(uniqueKeysWithValues: zip(targets, findings))
  }

  private func fault(_ response: TransportResponse) async throws -> RelationshipError? {
    do {
      _ = try await ask(response)
      return nil
    } catch let error as RelationshipError {
      return error
    }
  }

  @Test func requestsAllTargetsInOneCallAndReadsEveryEdge() async throws {
    let follow = "at://\(actor)/app.bsky.graph.follow/3jui7kd54zh2y"
    let edges = ["following", "followedBy", "blocking", "blockedBy", "blockingByList", "blockedByList"]
      .map { #","\#($0)":"\#(follow)\#($0)""# }.joined()
    let transport = ScriptedTransport(responses: [body([row(1, edges), row(2)])])
    let findings = try await findings(source(transport), Accounts.dids(1..<3))
    #expect(RequestQuery(transport.requests[0])["actor"] == ["\(actor)"])
    #expect(RequestQuery(transport.requests[0])["others"] == Accounts.dids(1..<3).map(\.description))
    guard case .known(let full) = findings[Accounts.did(1)],
      case .known(let empty) = findings[Accounts.did(2)]
    else {
      Issue.record("\(findings)")
      return
    }
    #expect(full.actor == actor)
    #expect(full.target == Accounts.did(1))
    #expect(full.following?.description == follow + "following")
    #expect(full.followedBy?.description == follow + "followedBy")
    #expect(full.blocking?.description == follow + "blocking")
    #expect(full.blockedBy?.description == follow + "blockedBy")
    #expect(full.blockingByList?.description == follow + "blockingByList")
    #expect(full.blockedByList?.description == follow + "blockedByList")
    #expect(full.muted == nil)
    #expect(full.source == .appview)
    #expect(full.checkedAt.instant == 1_760_000_000_000_000)
    #expect(empty.isEmpty)
  }

  /// Q2: a nonexistent account looks like one without edges; only some servers return more.
  @Test func reportsOnlyWhatTheAppViewReturns() async throws {
    let findings = try await ask(body([row(1), absent(2)]))
    guard case .known(let info) = findings[Accounts.did(1)] else {
      Issue.record("\(findings)")
      return
    }
    #expect(info.isEmpty)
    #expect(findings[Accounts.did(2)] == .notFound)
  }

  /// Q3.
  @Test func recognizesAMissingActor() async throws {
    let error = try await fault(body(actor: nil, [absent(1), absent(2)]))
    #expect(error?.code == .actorNotFound)
    #expect(error?.subject == "\(actor)")
  }

  /// Never returned by reference servers (Q3), but defined in the lexicon.
  @Test func recognizesTheErrorOfTheLexicon() async throws {
    #expect(try await fault(.xrpcError(400, "ActorNotFound", "x"))?.code == .actorNotFound)
  }

  @Test func anAnswerWithoutActorButWithRowsIsInvalid() async throws {
    let error = try await fault(body(actor: nil, [row(1), row(2)]))
    #expect(error?.code == .invalidResponse)
    #expect(error?.path == "actor")
  }

  /// Q5.
  @Test func showsFollowsBesideABlock() async throws {
    let uri = "at://\(actor)/app.bsky.graph"
    let findings = try await ask(
      body([
        row(
          1,
          #","following":"\#(uri).follow/3k","followedBy":"\#(uri).follow/3k","blocking":"\#(uri).block/3k""#),
        row(2),
      ]))
    guard case .known(let info) = findings[Accounts.did(1)] else {
      Issue.record("\(findings)")
      return
    }
    #expect(info.mutual)
    #expect(info.blocked)
    #expect(info.isBlocking)
    #expect(!info.isBlockedBy)
  }

  /// Q6.
  @Test(arguments: ["app.bsky.graph.list", "app.bsky.graph.listblock"]) func acceptsBothFormsOfABlockByList(
    collection: String
  ) async throws {
    let uri = "at://\(Accounts.did(9))/\(collection)/3jui7kd54zh2y"
    let findings = try await ask(body([row(1, #","blockedByList":"\#(uri)""#), row(2)]))
    guard case .known(let info) = findings[Accounts.did(1)] else {
      Issue.record("\(findings)")
      return
    }
    #expect(info.blockedByList?.description == uri)
    #expect(info.isBlockedBy)
    #expect(info.blocked)
    #expect(!info.isBlocking)
    #expect(!info.isEmpty)
  }

  @Test func rejectsAnAnswerThatDoesNotMatchTheRequest() async throws {
    let cases: [(rows: [String], path: String)] = [
      ([], "relationships"), ([row(1)], "relationships"), ([row(1), row(2), row(3)], "relationships[2]"),
      ([row(2), row(1)], "relationships[0].did"), ([row(1), row(9)], "relationships[1].did"),
      ([row(1), row(1)], "relationships[1].did"), ([row(1), absent(9)], "relationships[1].actor"),
    ]
    for (rows, path) in cases {
      let error = try await fault(body(rows))
      #expect(error?.code == .invalidResponse)
      #expect(error?.path == path, "\(error as Any)")
    }
  }

  @Test(arguments: [
    #"{"$type":"app.bsky.graph.defs#later","did":"did:plc:aaaaaaaaaaaaaaaaaaaaaaaa"}"#,
    #"{"$type":"app.bsky.graph.defs#relationship","did":"absent"}"#,
    #"{"$type":"app.bsky.graph.defs#relationship","did":"did:web:b.test","following":"at:/x"}"#, "null", "7",
  ]) func anUnreadableRowDoesNotAffectTheOthers(broken: String) async throws {
    let findings = try await ask(body([row(1), broken]))
    guard case .known = findings[Accounts.did(1)], case .failed(let error) = findings[Accounts.did(2)] else {
      Issue.record("\(findings)")
      return
    }
    #expect(error.code == .invalidResponse)
    #expect(error.path?.hasPrefix("relationships[1]") == true, "\(error)")
  }

  @Test func isolatesTheTargetThatTheServiceRefuses() async throws {
    let appview = AppViewDouble(accounts: 31)
    let bad = Accounts.did(7).description
    let transport = ScriptedTransport { request in
      RequestQuery(request)["others"].contains(bad)
        ? .xrpcError(400, "InvalidRequest", "others is invalid") : appview.answer(request)
    }
    let findings = try await findings(source(transport), Accounts.dids(1..<31))
    #expect(findings.count == 30)
    for (target, finding) in findings {
      switch finding {
      case .known: #expect(target != Accounts.did(7))
      case .failed(let error):
        #expect(target == Accounts.did(7))
        #expect(error.code == .refused)
      case .notFound: Issue.record("\(target)")
      }
    }
    #expect(transport.requests.count <= 11)
  }

  @Test func givesUpEarlyIfTheServiceRefusesEverything() async throws {
    let transport = ScriptedTransport { _ in .xrpcError(400, "InvalidRequest", "no") }
    let findings = try await findings(source(transport), Accounts.dids(1..<31))
    #expect(findings.count == 30)
    #expect(transport.requests.count < 12)
  }

  /// Ninety targets of a service that knows no such call take few more calls than thirty.
  @Test func aServiceThatRefusesEverythingIsNotAskedAboutEachTarget() async throws {
    let transport = ScriptedTransport { _ in .xrpcError(400, "InvalidRequest", "no") }
    let source = try source(transport)
    _ = try await findings(source, Accounts.dids(1..<31))
    let calls = transport.requests.count
    for start in [31, 61] {
      let error = await #expect(throws: RelationshipError.self) {
        try await source.relationships(of: actor, with: Accounts.dids(start..<(start + 30)))
      }
      #expect(error?.code == .refused)
    }
    #expect(transport.requests.count == calls + 2)
  }

  @Test(arguments: [[], [#"{"$type":"x#y"}"#], ["7"], ["absent 2"]])
  func aMalformedAnswerIsNotAMissingActor(rows: [String]) async throws {
    let rows = rows.map { $0 == "absent 2" ? absent(2) : $0 } + (rows.isEmpty ? [] : [absent(2)])
    #expect(try await fault(body(actor: nil, rows))?.code == .invalidResponse)
  }

  @Test func keepsTheResultsOfTheOtherHalf() async throws {
    let appview = AppViewDouble(accounts: 31)
    let transport = ScriptedTransport { request in
      let others = RequestQuery(request)["others"]
      if others.count == 30 { return .xrpcError(400, "InvalidRequest", "target not found") }
      return others.contains(Accounts.did(1).description)
        ? TransportResponse(#"{"actor":"\#(Accounts.did(0))","relationships":[]}"#) : appview.answer(request)
    }
    let findings = try await findings(source(transport), Accounts.dids(1..<31))
    let failed = findings.filter { if case .failed = $0.value { true } else { false } }
    #expect(findings.count == 30)
    #expect(Set(failed.keys) == Set(Accounts.dids(1..<16)))
  }

  @Test func stopsHalvingOnceTheServiceFails() async throws {
    let transport = ScriptedTransport { request in
      RequestQuery(request)["others"].count == 30
        ? .xrpcError(400, "InvalidRequest", "no") : .xrpcError(503, "Unavailable", "down")
    }
    let findings = try await findings(source(transport), Accounts.dids(1..<31))
    #expect(findings.count == 30)
    #expect(transport.requests.count == 2)
  }

  @Test func rejectsAnAnswerAboutAnotherActor() async throws {
    let error = try await fault(body(actor: 5, [row(1), row(2)]))
    #expect(error?.code == .invalidResponse)
    #expect(error?.path == "actor" && error?.detail.contains("\(Accounts.did(5))") == true)
  }

  // MARK: Existence

  /// Q2, Q14.
  @Test func distinguishesHiddenAccountsFromMissingOnes() async throws {
    let appview = AppViewDouble(accounts: 60)
    appview.change {
      $0.hidden = [
        Accounts.did(1): "AccountTakedown", Accounts.did(2): "AccountDeactivated",
        Accounts.did(3): "AccountSuspended",
      ]
    }
    let transport = ScriptedTransport { appview.answer($0) }
    let asked = Accounts.dids(0..<59) + [Accounts.did(500)]
    let existing = try await source(transport).existing(among: asked)
    #expect(
      existing == ExistenceFinding(existing: Set(Accounts.dids(0..<59)), hidden: Set(Accounts.dids(1..<4))))
    #expect(transport.calls(of: "app.bsky.actor.getProfiles") == 3)
    #expect(transport.calls(of: "app.bsky.actor.getProfile") == 4)
  }

  /// Q2: an AppView may have missed an account whose document and repository are fine.
  @Test func asksTheDirectoryAboutAnAccountThatTheAppViewDoesNotKnow() async throws {
    let appview = AppViewDouble(accounts: 2)
    appview.change { $0.unindexed = [Accounts.did(500)] }
    let transport = ScriptedTransport { appview.answer($0) }
    let finding = try await source(transport).existing(among: [Accounts.did(500), Accounts.did(501)])
    #expect(finding == ExistenceFinding(existing: [Accounts.did(500)], hidden: [Accounts.did(500)]))
    #expect(finding.presence(of: Accounts.did(500)) == .hidden)
    #expect(finding.presence(of: Accounts.did(501)) == .absent)
  }

  /// A document outlives the account: the account's own server knows whether it was deleted.
  @Test(arguments: [
    (#"{"did":"did:plc:x","active":true}"#, AccountPresence.hidden),
    (#"{"did":"did:plc:x","active":false,"status":"deactivated"}"#, .hidden),
    (#"{"error":"RepoNotFound","message":"no"}"#, .absent), ("<html>", .hidden),
  ]) func asksTheServerOfARegisteredAccount(answer: String, presence: AccountPresence) async throws {
    let did = Accounts.did(1)
    let transport = ScriptedTransport { request in
      switch RequestQuery(request).method {
      case "app.bsky.actor.getProfiles": TransportResponse(#"{"profiles":[]}"#)
      case "app.bsky.actor.getProfile": .xrpcError(400, "InvalidRequest", "Profile not found")
      case "com.atproto.sync.getRepoStatus":
        TransportResponse(
          status: answer.contains("RepoNotFound") ? 400 : 200,
          answer.replacingOccurrences(of: "did:plc:x", with: "\(did)"))
      default:
        TransportResponse(
          ##"{"id":"\##(did)","service":[{"id":"#atproto_pds","type":"AtprotoPersonalDataServer","serviceEndpoint":"https://pds.test"}]}"##
        )
      }
    }
    let client = XRPCClient(
      service: try ServiceURL(parsing: "https://appview.test"), transport: transport,
      configuration: XRPCClient.Configuration(retry: .never), time: ManualClock(.skipping).timeSource())
    let finding = try await AppViewRelationshipSource(client: client) { _ in client }.existing(among: [did])
    #expect(finding.presence(of: did) == presence)
  }

  /// A 404 that is not the directory's own says nothing about a DID.
  @Test(arguments: ["<html>Not Found</html>", #"{"message":"not found"}"#, ""])
  func aDirectoryThatFailsProvesNothing(body: String) async throws {
    let transport = ScriptedTransport { request in
      switch RequestQuery(request).method {
      case "app.bsky.actor.getProfiles": TransportResponse(#"{"profiles":[]}"#)
      case "app.bsky.actor.getProfile": .xrpcError(400, "InvalidRequest", "Profile not found")
      default: TransportResponse(status: 404, body)
      }
    }
    let finding = try await source(transport).existing(among: [Accounts.did(1)])
    #expect(finding.presence(of: Accounts.did(1)) == nil)
    #expect(finding.faults[Accounts.did(1)]?.code == .networkError)
  }

  @Test func ignoresAccountsThatWereNotRequested() async throws {
    let transport = ScriptedTransport { request in
      if request.head.path?.hasPrefix("/did:") == true {
        return .absence(of: Accounts.did(2))
      }
      return RequestQuery(request).method == "app.bsky.actor.getProfile"
        ? .xrpcError(400, "InvalidRequest", "Profile not found")
        : TransportResponse(
          #"{"profiles":[{"did":"\#(Accounts.did(1))","handle":"a.test"},{"did":"\#(Accounts.did(9))","handle":"b.test"}]}"#
        )
    }
    #expect(
      try await source(transport).existing(among: Accounts.dids(1..<3))
        == ExistenceFinding(existing: [Accounts.did(1)]))
  }

  @Test(arguments: ["<html>Sign in</html>", "", "{\"actor\":\"\(Accounts.did(0))\",\"relat"])
  func retriesIfTheAnswerIsNotJSON(body: String) async throws {
    let appview = AppViewDouble(accounts: 3, follows: [(0, 1)])
    let calls = PosixMutex(0)
    let transport = ScriptedTransport { request in
      let call = calls.withLock { calls in
        calls += 1
        return calls
      }
      return call < 4 ? TransportResponse(body) : appview.answer(request)
    }
    let source = try source(transport, retry: RetryPolicy())
    let findings = try await findings(source, [Accounts.did(1)])
    guard case .known(let info) = findings[Accounts.did(1)] else {
      Issue.record("\(findings)")
      return
    }
    #expect(info.isFollowing)
    calls.withLock { $0 = -100 }
    await #expect(throws: RelationshipError.self) {
      try await source.relationships(of: actor, with: [Accounts.did(1)])
    }
    // A host that has answered before gets as many attempts as one that closes the connection.
    #expect(calls.withLock { $0 } == -100 + RetryPolicy().attempts)
  }

  @Test func rejectsTheProfileOfAnotherAccount() async throws {
    let transport = ScriptedTransport { request in
      TransportResponse(
        RequestQuery(request).method == "app.bsky.actor.getProfiles"
          ? #"{"profiles":[]}"# : #"{"did":"\#(Accounts.did(9))","handle":"b.test"}"#)
    }
    let finding = try await source(transport).existing(among: [Accounts.did(1)])
    #expect(finding.existing.isEmpty)
    #expect(
      finding.faults[Accounts.did(1)]?.description
        == "app.bsky.actor.getProfile: did: \(Accounts.did(9)) instead of \(Accounts.did(1))")
    #expect(finding.faults[Accounts.did(1)]?.code == .invalidResponse)
  }

  /// Unknown is not "no".
  @Test(arguments: [401, 403, 404, 501, 503]) func aRefusalDoesNotMakeAnAccountMissing(
    status: Int
  ) async throws {
    let transport = ScriptedTransport { request in
      RequestQuery(request).method == "app.bsky.actor.getProfiles"
        ? TransportResponse(#"{"profiles":[]}"#) : .xrpcError(status, "Other", "not found")
    }
    let finding = try await source(transport).existing(among: [Accounts.did(1)])
    #expect(finding.existing.isEmpty)
    #expect(finding.faults.keys.map(\.self) == [Accounts.did(1)])
  }
}
