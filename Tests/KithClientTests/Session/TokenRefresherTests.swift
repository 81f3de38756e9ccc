// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLexicons
import TestSupport
import Testing

@testable import KithClient

@Suite(.timeLimit(.minutes(1))) struct TokenRefresherTests {
  private let clock = ManualClock(.skipping)

  private func server(
    life: Int = 7_200, refusal: SessionServerDouble.Refusal = .expiredToken
  ) -> SessionServerDouble {
    let time = clock.timeSource()
    return SessionServerDouble(life: life, refusal: refusal) { time.instant }
  }

  /// A client with its own refresher, as in a separate process.
  private func client(
    _ server: SessionServerDouble, _ store: InMemorySessionStore, _ transport: ScriptedTransport
  ) throws -> XRPCClient {
    let session = try #require(server.session())
    let plain = XRPCClient(
      service: session.pds, transport: transport,
      configuration: XRPCClient.Configuration(
        retry: RetryPolicy(attempts: 3, attemptsAtUntrustedHosts: 3), random: { 0 }),
      time: clock.timeSource())
    return plain.signed(by: TokenRefresher(session, in: store, client: plain))
  }

  private func refresher(
    _ session: Session, _ store: InMemorySessionStore, _ server: SessionServerDouble
  ) -> TokenRefresher {
    let client = XRPCClient(
      service: session.pds, transport: transport(server), time: clock.timeSource())
    return TokenRefresher(session, in: store, client: client)
  }

  private func transport(_ server: SessionServerDouble) -> ScriptedTransport {
    ScriptedTransport { try server.answer($0) }
  }

  private func ask(_ client: XRPCClient) async throws -> DID {
    try await client.query(Com.Atproto.Server.GetSession.self, NoParameters()).did
  }

  private func fault(_ client: XRPCClient) async throws -> XRPCError? {
    do {
      _ = try await ask(client)
      return nil
    } catch let error as XRPCError { return error }
  }

  @Test func usesAFreshTokenAsItIs() async throws {
    let server = server()
    let transport = transport(server)
    let store = InMemorySessionStore([try #require(server.session())])
    #expect(try await ask(client(server, store, transport)) == server.did)
    #expect(transport.requests.count == 1)
    #expect(server.refreshes == 0)
  }

  @Test func refreshesBeforeATokenEnds() async throws {
    let server = server()
    let transport = transport(server)
    let store = InMemorySessionStore([try #require(server.session())])
    clock.advance(by: .seconds(7_200 - 59))
    #expect(try await ask(client(server, store, transport)) == server.did)
    #expect(transport.calls(of: "com.atproto.server.refreshSession") == 1)
    #expect(transport.calls(of: "com.atproto.server.getSession") == 1)
    #expect(await store.session(of: server.did)?.refreshToken == server.session(of: 2)?.refreshToken)
  }

  @Test func keepsUnknownFieldsInARefresh() async throws {
    let server = server(life: 5)
    var session = try #require(server.session())
    session.unknownFields = UnknownFields(["aFuture": "bright"])
    let store = InMemorySessionStore([session])
    clock.advance(by: .seconds(6))
    #expect(try await ask(client(server, store, transport(server))) == server.did)
    #expect(server.refreshes == 1)
    #expect(await store.session(of: server.did)?.unknownFields == session.unknownFields)
  }

  /// Otherwise the session would be unusable after its first access token.
  @Test func sendsTokensInPlainTextAfterARefreshIfThatWasAllowed() async throws {
    let server = server(life: 5)
    let old = try #require(server.session())
    var session = Session(
      did: old.did, handle: old.handle, pds: try ServiceURL(parsing: "http://pds.test"),
      pdsIsUserSpecified: true,
      accessToken: old.accessToken, refreshToken: old.refreshToken, receivedAt: old.receivedAt)
    session.allowsPlainText = true
    let store = InMemorySessionStore([session])
    let refresher = refresher(session, store, server)
    clock.advance(by: .seconds(6))
    let new = try await refresher.token()
    #expect(new == server.session(of: 2)?.accessToken)
    #expect(try await refresher.token() == new)
    #expect(await store.session(of: server.did)?.allowsPlainText == true)
  }

  @Test func readsTheSessionOfAnotherProcessOnce() async throws {
    let server = server()
    let old = try #require(server.session())
    let store = InMemorySessionStore([old])
    let refresher = refresher(old, store, server)
    clock.advance(by: .seconds(7_200))
    let newer = try #require(server.exchangeElsewhere())
    try await store.save(newer)
    for _ in 0..<3 { #expect(try await refresher.token() == newer.accessToken) }
    #expect(server.refreshes == 1, "the exchange elsewhere and no other")
    #expect(await store.reads == 1)
  }

  /// The response to a slow call may arrive after the next token has expired, too.
  @Test func refreshesTheNewerTokenIfThatIsDueItself() async throws {
    let server = server()
    let first = try #require(server.session())
    let refresher = refresher(first, InMemorySessionStore([first]), server)
    clock.advance(by: .seconds(7_200))
    let second = try await refresher.token()
    #expect(try await refresher.token(after: first.accessToken, isExpired: true) == second)
    clock.advance(by: .seconds(7_200))
    let third = try await refresher.token(after: first.accessToken, isExpired: true)
    #expect(third != second && third == server.session(of: 3)?.accessToken)
  }

  @Test(
    arguments: [
      SessionServerDouble.Refusal.expiredToken, .unauthorizedExpiredToken, .plainText,
    ])
  func repeatsACallWhoseTokenIsRefused(refusal: SessionServerDouble.Refusal) async throws {
    let server = server(refusal: refusal)
    let transport = transport(server)
    let store = InMemorySessionStore([try #require(server.session())])
    let client = try client(server, store, transport)
    let newer = try #require(server.exchangeElsewhere())
    // A program that does not use the store has the tokens; then they are stored.
    try await store.save(newer)
    #expect(try await ask(client) == server.did)
    #expect(server.refreshes == 1, "the exchange elsewhere and no other")
    #expect(transport.calls(of: "com.atproto.server.getSession") == 2)
  }

  @Test(arguments: [true, false]) func twentyProcessesExchangeOnce(isKnownToBeExpired: Bool) async throws {
    let server = server(life: 5)
    let transport = transport(server)
    let first = try #require(server.session())
    var stored = first
    clock.advance(by: .seconds(6))
    // A clock that is behind makes the token look new.
    if !isKnownToBeExpired { stored.receivedAt = clock.timeSource().instant }
    let store = InMemorySessionStore([stored])
    try await withThrowingTaskGroup(of: DID.self) { group in
      for _ in 0..<20 {
        let plain = XRPCClient(service: first.pds, transport: transport, time: clock.timeSource())
        let refresher = TokenRefresher(stored, in: store, client: plain)
        for _ in 0..<3 { group.addTask { try await self.ask(plain.signed(by: refresher)) } }
      }
      for try await did in group { #expect(did == server.did) }
    }
    #expect(server.refreshes == 1)
    #expect(await store.saves == 1)
  }

  @Test func saysSignInAgainWhenTheSessionWasRevoked() async throws {
    let server = server()
    let store = InMemorySessionStore([try #require(server.session())])
    let transport = transport(server)
    let client = try client(server, store, transport)
    server.revoke()
    let error = try #require(try await fault(client))
    #expect(error.code == .notSignedIn)
    #expect((error.underlying as? SessionError)?.code == .ended)
    #expect((error.underlying as? SessionError)?.asksForSignIn == true)
    #expect(transport.calls(of: "com.atproto.server.refreshSession") == 1)
  }

  @Test func saysSignInAgainWhenTheAnswerOfAnExchangeWasLostAtAStrictServer() async throws {
    let server = server()
    let store = InMemorySessionStore([try #require(server.session())])
    let client = try client(server, store, transport(server))
    clock.advance(by: .seconds(8_000))
    server.loseAnswers(1)
    let error = try #require(try await fault(client))
    #expect((error.underlying as? SessionError)?.code == .ended)
    #expect(server.refreshes == 1)
  }

  @Test func keepsTheSessionWhenTheServerIsDown() async throws {
    let server = server()
    let old = try #require(server.session())
    let store = InMemorySessionStore([old])
    let client = try client(server, store, transport(server))
    clock.advance(by: .seconds(8_000))
    server.stop()
    let error = try #require(try await fault(client))
    #expect(error.code == .unavailable)
    #expect(error.method == Com.Atproto.Server.RefreshSession.nsid)
    #expect(await store.session(of: server.did) == old)
  }

  @Test func rejectsTheSessionOfAnotherAccount() async throws {
    let server = server()
    let old = try #require(server.session())
    let store = InMemorySessionStore([old])
    let client = try client(server, store, transport(server))
    clock.advance(by: .seconds(8_000))
    server.answerAs(Accounts.did(9))
    let error = try #require(try await fault(client))
    #expect((error.underlying as? SessionError)?.code == .wrongAnswer)
    #expect(await store.session(of: server.did) == old)
  }

  @Test func asksForSignInWhenAnotherProcessHasSignedOut() async throws {
    let server = server()
    let store = InMemorySessionStore()
    let client = try client(server, store, transport(server))
    clock.advance(by: .seconds(8_000))
    let error = try #require(try await fault(client))
    #expect((error.underlying as? SessionError)?.code == .notSignedIn)
  }

  @Test func sendsTokensToNoOtherService() async throws {
    let server = server()
    let store = InMemorySessionStore([try #require(server.session())])
    let transport = transport(server)
    let signed = try client(server, store, transport)
    let other = XRPCClient(
      service: try ServiceURL(parsing: "https://elsewhere.test"), transport: transport,
      configuration: signed.configuration, time: clock.timeSource())
    let error = try #require(try await fault(other))
    #expect(error.code == .invalidRequest && !error.wasSent)
    #expect(transport.requests.isEmpty)
  }

  @Test func letsNoServerQuoteATokenInAnError() async throws {
    let server = server(refusal: .plainText)
    let session = try #require(server.session())
    let store = InMemorySessionStore([session])
    let client = try client(server, store, transport(server))
    server.revoke()
    let error = try #require(try await fault(client))
    var text = "\(error) "
    dump(error, to: &text)
    for secret in [session.accessToken.secret, session.refreshToken.secret] {
      #expect(!text.contains(secret))
    }
  }

  @Test func doesNotRefreshAgainAndAgainForWhatATokenCannotCure() async throws {
    let server = server()
    let session = try #require(server.session())
    let store = InMemorySessionStore([session])
    let transport = ScriptedTransport { request in
      RequestQuery(request).method == "com.atproto.server.refreshSession"
        ? try server.answer(request) : TransportResponse(status: 401, "not your repository")
    }
    let client = try client(server, store, transport)
    for _ in 0..<5 { #expect(try #require(try await fault(client)).status == 401) }
    #expect(server.refreshes == 1)
  }

  /// Another token of the same session has the same scope.
  @Test(arguments: [
    (400, "InvalidToken", "Bad token scope"), (401, "InvalidToken", "Bad token method"),
    (403, "InsufficientScope", "missing scope rpc"),
  ])
  func doesNotRefreshForWhatTheSessionMayNotDo(status: Int, name: String, message: String) async throws {
    let server = server()
    let session = try #require(server.session())
    let transport = ScriptedTransport { request in
      RequestQuery(request).method == "com.atproto.server.refreshSession"
        ? try server.answer(request) : .xrpcError(status, name, message)
    }
    let client = try client(server, InMemorySessionStore([session]), transport)
    #expect(try #require(try await fault(client)).deniesPermission)
    #expect(server.refreshes == 0)
  }

  @Test func storesWhatWasExchangedThoughTheAskerLeaves() async throws {
    let server = server()
    let old = try #require(server.session())
    let store = InMemorySessionStore([old])
    let turnstile = Turnstile(isOpen: false)
    let transport = ScriptedTransport(turnstile: turnstile) { try server.answer($0) }
    let client = try client(server, store, transport)
    clock.advance(by: .seconds(8_000))
    let asking = Task { try await ask(client) }
    await turnstile.untilArrived(1)
    asking.cancel()
    turnstile.open()
    await #expect(throws: CancellationError.self) { try await asking.value }
    #expect(server.refreshes == 1)
    #expect(await store.session(of: server.did)?.refreshToken == server.session(of: 2)?.refreshToken)
  }

  /// Otherwise Ctrl-C would wait for all the retries.
  @Test func beginsNoOtherAttemptOnceTheAskerHasLeft() async throws {
    let still = ManualClock()
    let time = still.timeSource()
    let server = SessionServerDouble { time.instant }
    let session = try #require(server.session())
    let transport = transport(server)
    let client = XRPCClient(
      service: session.pds, transport: transport, configuration: XRPCClient.Configuration(random: { 1 }),
      time: time)
    let refresher = TokenRefresher(session, in: InMemorySessionStore([session]), client: client)
    still.advance(by: .seconds(8_000))
    server.stop()
    let asking = Task { try await refresher.token() }
    await still.untilAsleep(1)
    asking.cancel()
    await still.untilAwake()
    try #require(still.sleeperCount == 0, "it waits for the next attempt")
    await #expect(throws: CancellationError.self) { try await asking.value }
    #expect(transport.requests.count == 1)
  }
}
