// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import KithLocalMessages
import KithOperations
import KithRelationships
import KithTestSupport
import KithWriting
import SandboxSupport
import TestSupport
import Testing

@testable import KithDashboard

/// Signing in, signing out and switching, as a browser does it.
@Suite(.timeLimit(.minutes(1))) struct AccountsPageTests {
  private let network = FaultyNetwork()
  private let user: ServedUser
  private let answers = ChangedAnswers()
  private let visitor: Visitor

  init() async throws {
    user = try await ServedUser(on: network)
    answers.over(network)
    visitor = try await Visitor(
      Dashboard(user.workspace(over: answers), at: DashboardPlace(port: 4_000)), port: 4_000)
  }

  private func signIn(
    _ account: String, _ password: String, _ more: KeyValuePairs<String, String> = [:],
    with visitor: Visitor? = nil
  ) async -> LocalResponse {
    let items = [("account", account), ("password", password)] + more.map { ($0.key, $0.value) }
    let body = items.map { "\($0.0)=\(QueryItems.encoded($0.1))" }.joined(separator: "&")
    return await (visitor ?? self.visitor).post(
      "/accounts/sign-in", body, type: "application/x-www-form-urlencoded")
  }

  private func accounts() async throws -> [String] {
    try await user.run(ListSignedInAccounts()).rows
      .map { ($0.session?.handle.description ?? "") + ($0.isCurrent ? " current" : "") }.sorted()
  }

  /// What each failed sign-in is: the password is in no answer, and nothing is signed in.
  private func expectRefusal(
    _ response: LocalResponse, _ status: Int, _ words: String, password: String = "guess-123"
  ) async throws {
    #expect(response.status == status && response.text.contains(words), "\(response.status) \(response.text)")
    #expect(!response.text.contains(password) && response.text.contains("action=\"/accounts/sign-in\""))
    #expect(try await accounts() == ["alice.test current"])
  }

  // MARK: Signing in

  @Test func aSignInLeadsToTheOverviewOfTheAccount() async throws {
    let response = await signIn("bob.test", "pw-bob")
    #expect(response.status == 303 && response.location == "/@bob.test")
    #expect(try await accounts() == ["alice.test", "bob.test current"])
    #expect(await visitor.get("/@bob.test").status == 200)
  }

  @Test(arguments: ["@bob.test", " bob.test ", "https://bsky.app/profile/bob.test"])
  func aNameIsReadAsPeoplePasteIt(
    name: String
  ) async throws {
    #expect(await signIn(name, "pw-bob").location == "/@bob.test")
  }

  @Test func theFormHidesThePasswordAndHelpsManagersOfPasswords() async {
    for target in ["/accounts", "/accounts/sign-in?account=bob.test"] {
      let page = await visitor.get(target)
      #expect(page.status == 200 && page.text.contains("method=\"post\" action=\"/accounts/sign-in\""))
      #expect(page.text.contains("type=\"password\" id=\"password\" name=\"password\""))
      #expect(
        page.text.contains("autocomplete=\"current-password\"")
          && page.text.contains("autocomplete=\"username\""))
    }
    #expect(await visitor.get("/accounts/sign-in?account=bob.test").text.contains("value=\"bob.test\""))
  }

  @Test func aWrongPasswordIsSaidBesideItAndTheNameIsKept() async throws {
    let response = await signIn("bob.test", "guess-123")
    try await expectRefusal(response, 403, "The server refused the sign-in; check the password.")
    #expect(
      response.text.contains("value=\"bob.test\"")
        && response.text.contains("aria-describedby=\"password-error "))
  }

  @Test(arguments: [
    ("", "not a handle or a DID"), ("bob", "a handle has a dot"),
    ("\"><script>x</script>.test", "not a handle"),
    (String(repeating: "a", count: 5_000), "not a handle or a DID"),
  ])
  func aNameThatIsNoneIsSaidBesideIt(name: String, words: String) async throws {
    let response = await signIn(name, "guess-123")
    try await expectRefusal(response, 400, words)
    #expect(
      response.text.contains("aria-describedby=\"account-error ") && !response.text.contains("<script>x"))
    #expect(response.text.utf8.count < 40_000)
  }

  @Test(arguments: ["", String(repeating: "p", count: 5_000)]) func aPasswordThatCannotBeIsNotSent(
    password: String
  ) async throws {
    let response = await signIn("bob.test", password)
    #expect(response.status == 400 && response.text.contains("The password is empty or far too long"))
    #expect(!response.text.contains("ppppp"))
    #expect(answers.calls(of: "com.atproto.server.createSession") == 0)
  }

  @Test func anUnknownHandleIsSaid() async throws {
    try await expectRefusal(
      await signIn("no-one-here.test", "guess-123"), 403, "The server refused the sign-in")
  }

  @Test func aServerThatIsNotReachedIsSaid() async throws {
    network.begin(.pdsDown)
    try await expectRefusal(await signIn("bob.test", "guess-123"), 502, "Not signed in. ")
  }

  @Test func aRateLimitIsSaidWithItsTime() async throws {
    answers.set("com.atproto.server.createSession") { _ in
      .xrpcError(
        429, "RateLimitExceeded", "Rate Limit Exceeded", fields: .init(named: ["Retry-After": "280"]))
    }
    try await expectRefusal(
      await signIn("bob.test", "guess-123"), 503, "Too many requests; try again in 5 min.")
  }

  @Test func theCodeOfASecondFactorIsAskedForWhenTheServerWantsIt() async throws {
    answers.set("com.atproto.server.createSession") { body in
      if body.contains("\"authFactorToken\":\"AB-1\"") { return nil }
      return body.contains("authFactorToken")
        ? .xrpcError(400, "InvalidToken", "Token is invalid")
        : .xrpcError(401, "AuthFactorTokenRequired", "A code was sent")
    }
    #expect(!(await visitor.get("/accounts/sign-in").text.contains("name=\"code\"")))
    let asked = await signIn("bob.test", "pw-bob")
    try await expectRefusal(asked, 200, "The server asks for a sign-in code as well.", password: "pw-bob")
    #expect(asked.text.contains("name=\"code\"") && asked.text.contains("autocomplete=\"one-time-code\""))
    #expect(asked.text.contains("value=\"bob.test\""))
    let wrong = await signIn("bob.test", "pw-bob", ["code": "XX"])
    try await expectRefusal(wrong, 403, "refused the sign-in", password: "pw-bob")
    #expect(wrong.text.contains("name=\"code\"") && !wrong.text.contains("XX"))
    let long = await signIn("bob.test", "pw-bob", ["code": String(repeating: "1", count: 300)])
    try await expectRefusal(long, 400, "The code is far too long", password: "pw-bob")
    #expect(await signIn("bob.test", "pw-bob", ["code": " AB-1 "]).location == "/@bob.test")
  }

  @Test func aSignInWithoutTheTokenOfTheFormChangesNothing() async throws {
    let response = await visitor.post(
      "/accounts/sign-in", body: "account=bob.test&password=pw-bob", type: "application/x-www-form-urlencoded"
    )
    #expect(response.status == 403)
    #expect(try await accounts() == ["alice.test current"])
  }

  /// The password goes where the account was before, or after a yes where it is now.
  @Test func aNameThatLeadsElsewhereIsAskedAbout() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "kith-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let (bob, sessions) = (try user.did("bob"), InMemorySessionStore())
    let known = KnownAccounts(path: folder.path())
    let old = Session(
      did: bob, handle: try Handle(parsing: "bob.test"), pds: try ServiceURL(parsing: "https://old.test"),
      pdsIsUserSpecified: false, accessToken: try #require(SessionToken("a.b.c")),
      refreshToken: try #require(SessionToken("d.e.f")), receivedAt: network.time.instant)
    try known.remember(.did(bob), old)
    let workspace = Workspace(
      ServiceNetwork(
        ServiceNetwork.Services(
          appview: try ServiceURL(parsing: FaultyNetwork.appview),
          plc: try ServiceURL(parsing: FaultyNetwork.plc)),
        transport: answers, texts: ScriptedTextRecords(), concurrency: 4, time: network.time),
      stores: Stores(
        sessions: { sessions }, knownAccounts: { known }, journal: { _ in InMemoryJobStore() },
        history: { _ in InMemoryHistoryStore() }))
    let visitor = try await Visitor(Dashboard(workspace, at: DashboardPlace(port: 4_001)), port: 4_001)
    let asked = await signIn("\(bob)", "pw-bob", with: visitor)
    #expect(asked.status == 200 && asked.text.contains("Sign in elsewhere?"), "\(asked.text)")
    #expect(asked.text.contains("https://old.test") && asked.text.contains("Sign in at pds.test anyway"))
    #expect(!asked.text.contains("pw-bob"))
    #expect(answers.calls(of: "com.atproto.server.createSession") == 0)
    // A yes to something else is none.
    let other = await signIn("\(bob)", "pw-bob", ["agreed": "\(bob) https://old.test"], with: visitor)
    #expect(other.status == 200 && answers.calls(of: "com.atproto.server.createSession") == 0)
    let agreed = try #require(asked.text.firstMatch(of: /name="agreed" value="([^"]+)"/))
    let answer = await signIn("\(bob)", "pw-bob", ["agreed": String(agreed.1)], with: visitor)
    #expect(answer.status == 303 && answer.location == "/@bob.test", "\(answer.text)")
    #expect(await sessions.current() == bob)
  }

  @Test func withoutAnAccountTheFormIsTheFirstPage() async throws {
    let visitor = try await Visitor(
      Dashboard(
        try await ServedUser(nil, on: network).workspace(), at: DashboardPlace(port: 4_002)), port: 4_002)
    #expect(await visitor.get("/").location == "/accounts")
    let page = await visitor.get("/accounts")
    #expect(
      page.text.contains("No account is signed in on this machine.")
        && page.text.contains("name=\"password\""))
  }

  // MARK: Switching

  @Test func aSwitchMakesTheAccountTheCurrentOneAndLeadsToItsOverview() async throws {
    try await user.signIn("bob")
    #expect(await visitor.get("/").location == "/@bob.test")
    let page = await visitor.get("/accounts")
    let action = try #require(page.text.firstMatch(of: /action="(\/accounts\/@did:[^"]+\/switch)"/))
    let answer = await visitor.post(String(action.1), form: [:])
    #expect(answer.status == 303 && answer.location == "/@alice.test")
    #expect(await visitor.get("/").location == "/@alice.test")
  }

  @Test(arguments: ["switch", "sign-out"]) func anAccountThatIsNotSignedInIsNotTouched(
    page: String
  ) async throws {
    let answer = await visitor.post("/accounts/@\(try user.did("carol"))/\(page)", form: [:])
    #expect(answer.status == 404 && answer.text.contains("this account is not signed in"))
    #expect(await visitor.post("/accounts/carol/\(page)", form: [:]).status == 404)
    #expect(try await accounts() == ["alice.test current"])
  }

  // MARK: Signing out

  @Test func aSignOutSaysWhatStaysAndWhatWaits() async throws {
    try await user.signIn("bob")
    try await user.signIn("alice")
    let carol = try user.did("carol")
    let source = RequestedChanges(
      [RequestedChange("carol.test", .success(.mute(carol, .everything)))],
      as: ChangeTitle("mute", "muted"), asking: ConfirmationRule())
    var change = Change(source)
    change.lifetime = .seconds(86_400)
    _ = try await user.run(change)
    let address = "/accounts/@\(try user.did("alice"))/sign-out"
    let page = await visitor.get(address)
    #expect(page.status == 200 && page.text.contains(">Job 1</a> made changes for a time."), "\(page.text)")
    #expect(page.text.contains("action=\"\(address)\"") && page.text.contains("pds.test"))
    #expect(try await accounts() == ["alice.test current", "bob.test"], "nothing is done before the answer")
    let answer = await visitor.post(address, form: [:])
    #expect(answer.status == 303 && answer.location == "/accounts")
    #expect(try await accounts() == ["bob.test current"])
    #expect(await visitor.get("/@alice.test").status == 404)
  }

  /// Its tokens would work for a while after the sign-out.
  @Test func aJobThatRunsIsPausedBeforeTheSignOut() async throws {
    let clock = ManualClock()
    let network = FaultyNetwork(clock: clock)
    let user = try await ServedUser(on: network)
    let visitor = try await Visitor(
      Dashboard(user.workspace(), at: DashboardPlace(port: 4_003)), port: 4_003)
    _ = await visitor.post("/api/proposals", "{\"kind\":\"follow\",\"accounts\":[\"niaj.test\"]}")
    let digest = try #require(
      await visitor.get("/@alice.test/jobs").text.firstMatch(of: /name="digest" value="([0-9a-f]{64})"/))
    network.begin(.writesFail)
    let approval = Task { await visitor.post("/api/jobs/1/approve", "{\"digest\":\"\(digest.1)\"}") }
    await clock.untilAsleep(1)
    let address = "/accounts/@\(try user.did("alice"))/sign-out"
    #expect(await visitor.get(address).text.contains(">Job 1</a> is under way. It is paused now;"))
    #expect(await visitor.post(address, form: [:]).status == 303)
    #expect(try await user.run(ListJobs()).rows.map(\.state) == ["paused"])
    #expect(try await user.run(ListSignedInAccounts()).rows.isEmpty)
    await visitor.dashboard.stop()
    _ = await approval.value
  }

  @Test func theLastAccountLeavesTheForm() async throws {
    _ = await visitor.post("/accounts/@\(try user.did("alice"))/sign-out", form: [:])
    #expect(await visitor.get("/accounts").text.contains("No account is signed in"))
  }

  @Test func aServerThatDoesNotEndTheSessionIsSaid() async throws {
    network.begin(.pdsDown)
    let answer = await visitor.post("/accounts/@\(try user.did("alice"))/sign-out", form: [:])
    #expect(
      answer.status == 502 && answer.text.contains("alice.test is signed out here, but"), "\(answer.text)")
    #expect(answer.text.contains("could be used until it expires"))
    #expect(try await accounts().isEmpty)
  }

  // MARK: Sessions

  @Test func aSessionThatHasEndedLeadsToSignInAgain() async throws {
    for method in ["getSession", "refreshSession"] {
      answers.set("com.atproto.server.\(method)") { _ in .xrpcError(400, "ExpiredToken", "Token has expired")
      }
    }
    #expect(!(await visitor.get("/accounts").text.contains("Sign in again")), "no server is asked unasked")
    let page = await visitor.get("/accounts?check=yes")
    #expect(page.text.contains("Your session has ended; sign in again."), "\(page.text)")
    #expect(page.text.contains("href=\"/accounts/sign-in?account=alice.test\""))
  }

  @Test func aSessionThatWorksIsSaidWithItsTime() async {
    let page = await visitor.get("/accounts?check=yes")
    #expect(page.text.contains("Works, checked <time datetime=") && !page.text.contains("Sign in again"))
  }

  @Test func aServerThatDoesNotAnswerIsNotAnEndOfTheSession() async {
    network.begin(.pdsDown)
    let page = await visitor.get("/accounts?check=yes")
    #expect(page.text.contains("Could not check. ") && !page.text.contains("Sign in again"), "\(page.text)")
  }

  @Test func theMainPasswordIsAdvisedAgainst() async throws {
    let claims = Data("{\"scope\":\"com.atproto.access\"}".utf8).base64EncodedString().replacing(
      "=", with: "")
    let did = try user.did("bob")
    answers.set("com.atproto.server.createSession") { _ in
      TransportResponse(
        #"{"accessJwt":"e30.\#(claims).x","refreshJwt":"d.e.f","handle":"bob.test","did":"\#(did)"}"#)
    }
    #expect(!(await visitor.get("/accounts").text.contains("main password")))
    #expect(await signIn("bob.test", "pw-bob").status == 303)
    let page = await visitor.get("/accounts")
    #expect(page.text.contains("Signed in with the main password."))
    #expect(page.text.contains("href=\"/accounts/sign-in?account=bob.test\">sign in again</a>"))
  }

  @Test func aSessionThatCannotBeReadSaysWhy() async throws {
    let alice = try user.did("alice")
    let workspace = Workspace(
      ServiceNetwork(
        ServiceNetwork.Services(
          appview: try ServiceURL(parsing: FaultyNetwork.appview),
          plc: try ServiceURL(parsing: FaultyNetwork.plc)),
        transport: network, texts: ScriptedTextRecords(), concurrency: 4, time: network.time),
      stores: Stores(
        sessions: { DamagedSessions(account: alice) }, knownAccounts: nil,
        journal: { _ in InMemoryJobStore() },
        history: { _ in InMemoryHistoryStore() }))
    let visitor = try await Visitor(Dashboard(workspace, at: DashboardPlace(port: 4_004)), port: 4_004)
    let page = await visitor.get("/accounts")
    #expect(page.status == 200 && page.text.contains("The stored session is damaged; sign in again."))
    #expect(
      page.text.contains("href=\"/accounts/sign-in?account=\(alice)\"") && !page.text.contains("Edit profile")
    )
    #expect(await visitor.get("/accounts/@\(alice)/sign-out").status == 200)
  }

  @Test func aPageThatNeedsTheSessionLeadsToSignInAgain() async {
    for method in ["getProfile", "getProfiles"] {
      answers.set("app.bsky.actor.\(method)") { _ in .xrpcError(400, "ExpiredToken", "Token has expired") }
    }
    answers.set("com.atproto.server.refreshSession") { _ in
      .xrpcError(400, "ExpiredToken", "Token was revoked")
    }
    let page = await visitor.get("/@alice.test/edit")
    #expect(page.status >= 400 && page.text.contains("href=\"/accounts/sign-in?account="), "\(page.text)")
  }
}

/// A store with a file that cannot be read.
private struct DamagedSessions: SessionStore {
  let account: DID

  func session(of account: DID) throws -> Session? {
    throw SessionError(.malformedFile, subject: "alice.json", detail: "it is damaged; sign in again")
  }

  func save(_ session: Session) {}
  func remove(_ account: DID) {}
  func accounts() -> [DID] { [account] }
  func current() -> DID? { account }
  func setCurrent(_ account: DID) {}
  func clearCurrent(ifIs account: DID) {}

  func withExclusiveAccess<Value: Sendable>(
    to account: DID, _ body: @Sendable () async throws -> Value
  ) async throws -> Value {
    try await body()
  }
}

/// Answers some methods by itself, and passes on all others.
final class ChangedAnswers: HTTPTransport {
  typealias Answer = @Sendable (_ body: String) -> TransportResponse?

  private struct State {
    var network: FaultyNetwork?
    var answers: [String: Answer] = [:]
    var calls: [String: Int] = [:]
  }

  private let state = PosixMutex(State())

  func over(_ network: FaultyNetwork) { state.withLock { $0.network = network } }

  /// - Parameter answer: nil to pass the call on.
  func set(_ method: String, _ answer: @escaping Answer) { state.withLock { $0.answers[method] = answer } }

  func calls(of method: String) -> Int { state.withLock { $0.calls[method] ?? 0 } }

  var capabilities: TransportCapabilities { state.withLock { $0.network?.capabilities ?? [] } }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    let method = RequestQuery(request).method
    let (network, answer) = state.withLock { state in
      state.calls[method, default: 0] += 1
      return (state.network, state.answers[method])
    }
    if let response = answer?(String(decoding: request.body ?? [], as: UTF8.self)) { return response }
    guard let network else { throw TransportError(.cannotConnect, host: "") }
    return try await network.send(request)
  }
}
