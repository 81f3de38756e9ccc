// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithLocalMessages
import KithOperations
import KithRelationships
import KithWriting
import TestSupport
import Testing

@testable import KithDashboard
@testable import KithSandbox
@testable import SandboxSupport

/// A browser that uses the dashboard of a user, without a socket.
@Suite(.timeLimit(.minutes(1))) struct DashboardTests {
  private struct Rows<Row: Decodable>: Decodable { let rows: [Row] }
  private struct Listed: Decodable { let did: String, relationship: String? }
  private struct Proposed: Decodable {
    struct Outcome: Decodable { let job: Int?, digest: String?, ending: String }
    struct Row: Decodable { let state: String }
    let rows: [Row], outcome: Outcome
  }
  private struct Refused: Decodable {
    struct Fault: Decodable { let code: String, message: String }
    let error: Fault
  }
  private struct Started: Decodable { let job: Int }
  private struct Asked: Decodable {
    struct Question: Decodable { let code: String }
    let question: Question
  }

  private let clock = ManualClock()
  private let network: FaultyNetwork
  private let user: ServedUser
  private let dashboard: Dashboard
  private let visitor: Visitor

  init() async throws {
    network = FaultyNetwork(clock: clock)
    user = try await ServedUser(on: network)
    dashboard = Dashboard(user.workspace(), at: DashboardPlace(port: 4_000))
    visitor = try await Visitor(dashboard, port: 4_000)
  }

  private static let host = HeaderField(name: "Host", value: "127.0.0.1:4000")

  private func get(_ target: String) async -> LocalResponse { await visitor.get(target) }

  private func post(
    _ path: String, _ body: String, type: String = "application/json"
  ) async -> LocalResponse {
    await visitor.post(path, body, type: type)
  }

  /// Posts, again and again while the run of a job still holds it: it is done a little before.
  private func postWhenFree(
    _ path: String, _ body: String, type: String = "application/json"
  ) async throws -> LocalResponse {
    var response = await post(path, body, type: type)
    try await eventually {
      if response.status != 503 { return true }
      response = await post(path, body, type: type)
      return false
    }
    return response
  }

  /// Until all jobs are done, and no run holds them any more.
  private func untilJobsAreDone() async throws {
    try await eventually {
      let rows = try await user.run(ListJobs()).rows
      return !rows.isEmpty && rows.allSatisfy { $0.state == "done" && $0.summary.holder == nil }
    }
  }

  private func decode<Value: Decodable>(_ type: Value.Type, _ response: LocalResponse) throws -> Value {
    try JSONCoding.decode(type, from: response.body)
  }

  // MARK: Safety

  @Test(arguments: [
    "/", "/accounts", "/@alice.test", "/nothing", "/api/listJobs", "/api/listAccounts?actor=x",
    "/enter?token=x",
  ])
  func everyAnswerTellsTheBrowserWhatItMayNotDo(target: String) async {
    let response = await get(target)
    let fields = Dictionary(grouping: response.fields, by: \.name).mapValues { $0.map(\.value) }
    #expect(
      fields["Content-Security-Policy"] == [
        "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; connect-src 'self'; "
          + "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
      ])
    #expect(fields["X-Content-Type-Options"] == ["nosniff"] && fields["Referrer-Policy"] == ["no-referrer"])
    #expect(fields["Cache-Control"] == ["no-store"])
    #expect(fields["Cross-Origin-Resource-Policy"] == ["same-origin"])
  }

  @Test func pagesHaveNeitherStylesNorScriptsOfTheirOwn() async {
    for target in ["/accounts", "/@alice.test", "/@alice.test/followers", "/@alice.test/jobs"] {
      let response = await get(target)
      #expect(response.status == 200, "\(target): \(response.text)")
      for part in [" style=", "<style", " onclick=", "javascript:", "src=\"http", "href=\"http"] {
        #expect(!response.text.contains(part), "\(target) has \(part)")
      }
    }
  }

  @Test func aBrowserThatHasNotEnteredSeesNoName() async {
    for path in ["/", "/accounts", "/@alice.test", "/api/listSignedInAccounts"] {
      let response = await dashboard.answer(LocalRequest(path: path, fields: [Self.host]))
      #expect(response.status == 401 && !response.text.contains("alice"))
    }
  }

  @Test func aPostWithoutItsTokenChangesNothing() async throws {
    let body = "{\"kind\":\"follow\",\"accounts\":[\"bob.test\"]}"
    #expect(await visitor.post("/api/proposals", body: body, type: "application/json").status == 403)
    #expect(try decode(Rows<Listed?>.self, await get("/api/listJobs")).rows.isEmpty)
  }

  @Test func theStyleSheetAndTheScriptAreKept() async {
    for address in [Assets.styleAddress, Assets.scriptAddress, Assets.iconAddress] {
      let response = await dashboard.answer(LocalRequest(path: address, fields: [Self.host]))
      #expect(response.status == 200 && !response.body.isEmpty)
      #expect(response.fields.contains { $0.name == "Cache-Control" && $0.value.contains("immutable") })
    }
    #expect(await dashboard.answer(LocalRequest(path: "/assets/kith.css", fields: [Self.host])).status == 404)
    let script = await dashboard.answer(LocalRequest(path: Assets.scriptAddress, fields: [Self.host]))
    let style = await dashboard.answer(LocalRequest(path: Assets.styleAddress, fields: [Self.host]))
    #expect(script.body.count <= 60_000 && style.body.count <= 50_000)
  }

  // MARK: Pages

  @Test func theFirstPageIsThatOfTheCurrentAccount() async {
    let response = await get("/")
    #expect(
      response.status == 303
        && response.fields.contains { $0.name == "Location" && $0.value == "/@alice.test" })
    let page = await get("/@alice.test")
    #expect(
      page.text.contains("<title>Overview · Kith</title>") && page.text.contains("<bdi>alice.test</bdi>"))
  }

  @Test func picturesComeThroughThisServer() async throws {
    let page = await get("/@alice.test")
    let source = try #require(page.text.firstMatch(of: /<img class="av" src="([^"]+)"/))
    // The sandbox names its PDS, which is not the host of this AppView's pictures.
    #expect(await get(String(source.1)).status == 403)
    let picture = await get(String(source.1.replacing("pds.test", with: "appview.test")))
    #expect(picture.status == 200 && picture.contentType == "image/png" && picture.body.count > 100)
    let other = await get("/api/picture?at=https%3A%2F%2Fevil.test%2Fbafkreia%40png")
    #expect(other.status == 403 && !other.text.contains("PNG"))
  }

  @Test func theAddressNamesTheAccountByHandleOrDID() async throws {
    try await user.signIn("bob")
    for name in ["bob.test", "\(try user.did("bob"))"] {
      #expect(await get("/@\(name)").text.contains("<bdi>bob.test</bdi>"))
    }
    let other = await get("/@carol.test/followers")
    #expect(other.status == 404 && other.text.contains("carol.test: this account is not signed in"))
  }

  @Test(arguments: ["/@alice.test/nothing", "/alice.test", "/@", "/@alice.test/", "/api/nothing", "/%ff"])
  func otherPagesAreNotThere(path: String) async {
    let response = await get(path)
    #expect(response.status == 404 && response.text.contains("there is no such page"), "\(response.status)")
  }

  @Test func aListingHasAHundredAccountsAndLeadsToTheNext() async throws {
    let alice = try user.did("alice")
    for account in network.accounts.accounts.prefix(180) where account.did != alice {
      clock.advance(by: .milliseconds(1))
      network.live.link(.follow, from: alice, to: account.did)
    }
    let first = await get("/@alice.test/following")
    #expect(first.text.ranges(of: "class=\"acct\"").count == 100)
    let next = try #require(first.text.firstMatch(of: /rel="next" href="([^"]+)"/))
    #expect(first.text.contains("Rows 1–100<"))
    let (calls, second) = (network.requests, await get(String(next.1)))
    let range = try #require(second.text.firstMatch(of: /Rows 101–(\d+) of (\d+) that can be listed/))
    #expect(second.status == 200 && range.1 == range.2 && !second.text.contains("rel=\"next\""))
    #expect(second.text.ranges(of: "class=\"acct\"").count == Int(range.1).map { $0 - 100 })
    #expect(network.requests - calls < 10, "it does not begin again")
  }

  @Test func aPlaceBeyondTheEndIsNotTheWordForNone() async {
    let page = await get("/@alice.test/followers?from=5001")
    #expect(page.status == 200 && page.text.contains("The listing has no row 5,001."))
    #expect(!page.text.contains("No account follows"))
  }

  @Test(arguments: ["from=0", "from=x", "from=999999999", "from="]) func aWrongPlaceIsNamed(
    query: String
  ) async {
    let response = await get("/@alice.test/followers?\(query)")
    #expect(response.status == 400 && response.text.contains(query))
  }

  @Test func whatTheNetworkDoesNotAnswerIsSaid() async {
    network.begin(.serverError)
    let page = Task { await get("/@alice.test/followers") }
    let time = Task { while !Task.isCancelled { await clock.untilAsleep(1); clock.advanceToNextSleeper() } }
    let response = await page.value
    time.cancel()
    clock.advance(by: .zero)
    #expect(response.status == 502 && response.text.contains("role=\"alert\""), "\(response.status)")
    #expect(!response.text.contains("No account follows this one"), "unknown is not none")
  }

  @Test func jobsAreShownWithoutTheNetwork() async throws {
    try await user.change(.mute(try user.did("carol"), .everything))
    network.begin(.serverError)
    let page = Task { await get("/@alice.test") }
    let time = Task { while !Task.isCancelled { await clock.untilAsleep(1); clock.advanceToNextSleeper() } }
    let response = await page.value
    time.cancel()
    clock.advance(by: .zero)
    #expect(
      response.status == 200 && response.text.contains("Could not count") && response.text.contains(">—<"))
    #expect(response.text.contains("Job 1"))
  }

  // MARK: Programs

  @Test func rowsAreThoseOfTheOperation() async throws {
    let response = await get("/api/listAccounts?actor=alice.test&listing=following&limit=2")
    #expect(response.status == 200)
    let text = response.text
    #expect(
      text.hasPrefix("{\"rows\":[{\"did\":\"did:plc:") && text.contains("\"outcome\":{\"ending\":\"done\""))
    let rows = try decode(Rows<Listed>.self, response).rows
    let own = try await user.run(
      ListAccounts(.follows(of: try user.actor("alice"), in: .bluesky), details: [.relationship], limit: 2)
    ).rows
    #expect(rows.map(\.did) == own.map { "\($0.view.account)" })
  }

  @Test(arguments: [
    ("/api/listAccounts", "actor"), ("/api/listAccounts?actor=alice.test&listing=none", "listing=none"),
    ("/api/listAccounts?actor=alice.test&limit=0", "limit=0"),
    ("/api/listAccounts?actor=alice.test&limt=5", "limt"),
    ("/api/listAccounts?actor=al%20ice", "actor=al ice"), ("/api/showJob?job=x", "job=x"),
    ("/api/showJob", "job"),
    ("/api/listAccounts?actor=alice.test&where=nonsense+words", "where"),
    ("/api/listJobs?account=%25", "account"),
    ("/api/checkRelationships?actor=alice.test", "target"), ("/api/countListings?actor=%20", " "),
    ("/api/listAccounts?actor=%zz", "query"),
  ])
  func aWrongParameterIsNamed(target: String, subject: String) async throws {
    let response = await get(target)
    #expect(response.status == 400, "\(response.text)")
    let fault = try decode(Refused.self, response).error
    #expect(
      fault.code == "invalidRequest" && (fault.message.hasPrefix(subject) || subject == "query"), "\(fault)")
  }

  @Test func everyQuestionIsAnOperationAndSaysItsFields() {
    let names = Set(OperationCatalogue.all.map { $0.name })
    #expect(
      Set(APIRead.all.map(\.name)).isSubset(of: names)
        && Set(APIRead.all.map(\.name)).count == APIRead.all.count)
    for read in APIRead.all {
      #expect(!read.fields.isEmpty && read.parameters.allSatisfy { !$0.meaning.isEmpty })
    }
  }

  // MARK: Changes

  @Test func aProposalIsCarriedOutExactlyAsItWasShown() async throws {
    let carol = try user.did("carol"), alice = try user.did("alice")
    network.live.unlink(.follow, from: alice, to: carol)
    let proposal = try decode(
      Proposed.self, await post("/api/proposals", "{\"kind\":\"follow\",\"accounts\":[\"carol.test\"]}"))
    let (job, digest) = (try #require(proposal.outcome.job), try #require(proposal.outcome.digest))
    #expect(proposal.rows.count == 1)
    #expect(await get("/@alice.test/jobs").text.contains("value=\"\(digest)\""))
    let wrong = await post(
      "/api/jobs/\(job)/approve", "{\"digest\":\"\(String(repeating: "0", count: 64))\"}")
    #expect(wrong.status >= 400)
    let without = await post("/api/jobs/\(job)/approve", "{\"confirmed\":true}")
    #expect(without.status == 400 && without.text.contains("digest"))
    let answer = await post("/api/jobs/\(job)/approve", "{\"digest\":\"\(digest)\"}")
    #expect([200, 202].contains(answer.status), "\(answer.text)")
    try await untilJobsAreDone()
    #expect(await get("/@alice.test/jobs").text.contains("jobs/\(job)/undo"))
    let undone = try await postWhenFree("/api/jobs/\(job)/undo", "{}")
    #expect([200, 202].contains(undone.status), "one follow needs no question: \(undone.text)")
    try await eventually { try await user.run(ListJobs()).rows.count == 2 }
  }

  @Test func anUndoOfSeveralChangesIsAskedAbout() async throws {
    let proposal = try decode(
      Proposed.self,
      await post(
        "/api/proposals", "{\"kind\":\"mute\",\"accounts\":[\"carol.test\",\"judy.test\",\"bob.test\"]}"))
    let (job, digest) = (try #require(proposal.outcome.job), try #require(proposal.outcome.digest))
    _ = await post("/api/jobs/\(job)/approve", "{\"digest\":\"\(digest)\"}")
    try await untilJobsAreDone()
    let asked = try await postWhenFree("/api/jobs/\(job)/undo", "{}")
    #expect(asked.status == 409)
    #expect(try decode(Asked.self, asked).question.code == "undo")
    let form = "application/x-www-form-urlencoded"
    let page = try await postWhenFree("/@alice.test/jobs/\(job)/undo", "x=1", type: form)
    #expect(page.status == 200 && page.text.contains("name=\"confirmed\" value=\"yes\""))
    #expect(try await user.run(ListJobs()).rows.count == 1, "nothing was undone yet")
    let confirmed = try await postWhenFree("/@alice.test/jobs/\(job)/undo", "confirmed=yes", type: form)
    #expect(confirmed.status == 303)
    try await eventually { try await user.run(ListJobs()).rows.count == 2 }
  }

  /// It was journaled when it was answered: a second try would make a second one.
  @Test func aProposalOfMoreRowsThanAnAnswerHasIsAnsweredToo() async throws {
    let letters = Array("abcdefgh")
    let names = (0...APIRead.mostRows).map { number in
      let end = (0..<5).map { String(letters[number >> (3 * $0) & 7]) }.joined()
      return "\"did:plc:\(String(repeating: "a", count: 19))\(end)\""
    }
    let response = await post(
      "/api/proposals", "{\"kind\":\"mute\",\"accounts\":[\(names.joined(separator: ","))]}")
    #expect(
      response.status == 200 && response.text.contains("\"isCut\":true"), "\(response.text.prefix(300))")
    #expect(try await user.run(ListJobs()).rows.count == 1)
  }

  @Test func aJobThatIsStoppedCanBeContinued() async throws {
    let proposal = try decode(
      Proposed.self,
      await post("/api/proposals", "{\"kind\":\"follow\",\"accounts\":[\"niaj.test\",\"judy.test\"]}"))
    let (job, digest) = (try #require(proposal.outcome.job), try #require(proposal.outcome.digest))
    network.begin(.pdsDown)
    async let answer = post("/api/jobs/\(job)/approve", "{\"digest\":\"\(digest)\"}")
    await clock.untilAsleep(1)
    await dashboard.stop()
    _ = await answer
    let states = try await user.run(ListJobs()).rows.map(\.state)
    #expect(states.count == 1 && states != ["running"] && states != ["done"], "\(states)")
    network.begin(.none)
    let isProposed = states == ["proposed"]
    let again = await post(
      "/api/jobs/\(job)/\(isProposed ? "approve" : "resume")",
      isProposed ? "{\"digest\":\"\(digest)\"}" : "{}")
    #expect([200, 202].contains(again.status), "\(again.text)")
    try await untilJobsAreDone()
  }

  /// The button of a page does not stay busy for as long as a server is away.
  @Test func aChangeThatHasToWaitSaysSo() async throws {
    let stranger = try user.did("judy")
    network.begin(.writesFail)
    let form = Task {
      await post(
        "/@alice.test/change", "do=follow%20\(stranger)&styles=standard",
        type: "application/x-www-form-urlencoded")
    }
    let time = Task { while !Task.isCancelled { await clock.untilAsleep(1); clock.advanceToNextSleeper() } }
    let response = await form.value
    time.cancel()
    clock.advance(by: .zero)
    #expect(
      response.status == 200 && response.text.contains("Not followed yet: job 1 waits until"),
      "\(response.text)")
    #expect(response.text.contains("data-s=\"follow\""))
    await dashboard.stop()
  }

  @Test func aProposalCanBeRejected() async throws {
    let proposal = try decode(
      Proposed.self,
      await post("/api/proposals", "{\"kind\":\"block\",\"accounts\":[\"carol.test\"],\"seconds\":3600}"))
    let job = try #require(proposal.outcome.job)
    let answer = await post(
      "/@alice.test/jobs/\(job)/reject", "x=1", type: "application/x-www-form-urlencoded")
    #expect(answer.status == 303)
    let digest = try #require(proposal.outcome.digest)
    #expect(await post("/api/jobs/\(job)/approve", "{\"digest\":\"\(digest)\"}").status >= 400)
  }

  @Test(arguments: [
    "{}", "[]", "{\"kind\":\"follow\"}", "{\"kind\":\"befriend\",\"accounts\":[\"bob.test\"]}",
    "{\"kind\":\"follow\",\"accounts\":[]}",
    "{\"kind\":\"follow\",\"accounts\":[\"bob.test\"],\"seconds\":1}",
  ])
  func aWrongProposalIsRefused(body: String) async throws {
    let response =
      body == "[]"
      ? await visitor.post("/api/proposals", body: body, type: "application/json")
      : await post("/api/proposals", body)
    #expect(response.status == (body == "[]" ? 403 : 400), "\(response.text)")
  }

  // MARK: Others

  @Test func twoServersCarryOutAProposalOnce() async throws {
    let other = try await Visitor(
      Dashboard(user.workspace(), at: DashboardPlace(port: 4_001)), port: 4_001)
    let proposal = try decode(
      Proposed.self, await post("/api/proposals", "{\"kind\":\"mute\",\"accounts\":[\"carol.test\"]}"))
    let (job, digest) = (try #require(proposal.outcome.job), try #require(proposal.outcome.digest))
    #expect(await other.get("/@alice.test/jobs").text.contains(digest), "the other one shows it")
    let body = "{\"digest\":\"\(digest)\"}"
    async let first = visitor.post("/api/jobs/\(job)/approve", body)
    async let second = other.post("/api/jobs/\(job)/approve", body)
    let statuses = await [first.status, second.status]
    #expect(statuses.contains { $0 == 200 || $0 == 202 }, "\(statuses)")
    try await untilJobsAreDone()
    #expect(try await user.run(ShowJob(JobID(number: Int64(job)))).rows.count == 1)
    #expect(await other.get("/@alice.test/jobs").text.contains("jobs/\(job)/undo"))
  }

  /// A page that is open learns what an app or another process has done.
  @Test func whatOthersChangeIsToldToOpenPages() async throws {
    let heard = Watched("")
    let stream = await get("/api/events")
    guard case .streamed(let handler) = stream.delivery else {
      Issue.record("events are not streamed")
      return
    }
    let page = Task {
      do {
        try await handler.run { bytes in heard.withLock { $0 += String(decoding: bytes, as: UTF8.self) } }
      } catch {}
    }
    let server = Task { [dashboard] in try await dashboard.run() }
    await heard.until { $0.contains(":\n\n") }
    func look() async throws {
      // The end of the server, both watches, the heartbeat.
      await clock.untilAsleep(4)
      clock.advance(by: ChangeWatch.interval)
    }
    try await look()
    await heard.until { $0.contains("event: counts") && $0.contains("event: jobs") }
    heard.withLock { $0 = "" }
    try await user.change(.mute(try user.did("carol"), .everything))
    try await look()
    await heard.until { $0.contains("event: jobs") }
    server.cancel()
    page.cancel()
    _ = try? await server.value
    await page.value
  }

  @Test func theServerEndsWhenItIsNotUsed() async throws {
    let server = Task { [dashboard] in try await dashboard.run() }
    await clock.untilAsleep(3)
    clock.advance(by: .seconds(29 * 60))
    #expect(await get("/accounts").status == 200)
    clock.advance(by: .seconds(60))
    // All wait again: both watches and the end.
    await clock.untilAsleep(3)
    clock.advance(by: .seconds(29 * 60))
    try await server.value
  }
}
