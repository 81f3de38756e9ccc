// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import KithCore
import KithLexicons
import TestSupport
import Testing

@Suite struct XRPCClientTests {
  typealias Relationships = App.Bsky.Graph.GetRelationships
  typealias Mute = App.Bsky.Graph.MuteActor

  private let clock = ManualClock(.skipping)
  private let meter = CallMeter()
  private let empty = TransportResponse(#"{"relationships":[]}"#)

  private func client(
    _ transport: ScriptedTransport, at service: String = "https://appview.test",
    _ configuration: XRPCClient.Configuration = XRPCClient.Configuration(random: { 1 })
  ) throws -> XRPCClient {
    XRPCClient(
      service: try ServiceURL(parsing: service), transport: transport, configuration: configuration,
      meter: meter, time: clock.timeSource())
  }

  private let parameters = Relationships.Parameters(
    actor: .did(Accounts.did(0)), others: [.did(Accounts.did(1)), .did(Accounts.did(2))])

  private func ask(_ script: [Result<TransportResponse, any Error>]) async throws -> Relationships.Output {
    try await client(ScriptedTransport(script)).query(Relationships.self, parameters)
  }

  // MARK: What is sent

  @Test func asksByGetWithTheParametersInTheQuery() async throws {
    let transport = ScriptedTransport(responses: [empty])
    _ = try await client(transport, at: "http://appview.test:2583/base").query(Relationships.self, parameters)
    let request = try #require(transport.requests.first)
    #expect(request.head.method == .get)
    #expect(request.head.scheme == "http")
    #expect(request.head.authority == "appview.test:2583")
    #expect(
      request.head.path
        == "/base/xrpc/app.bsky.graph.getRelationships?actor=\(Accounts.did(0))&others=\(Accounts.did(1))"
        + "&others=\(Accounts.did(2))")
    #expect(request.head.headerFields[.accept] == "application/json")
    #expect(request.body == nil)
    #expect(request.redirects == .refuse)
    #expect(request.reach == .anywhere)
  }

  @Test func postsTheInputOfAProcedure() async throws {
    let transport = ScriptedTransport(responses: [TransportResponse()])
    _ = try await client(transport).call(
      Mute.self, NoParameters(), input: Mute.Input(actor: .did(Accounts.did(1))))
    let request = try #require(transport.requests.first)
    #expect(request.head.method == .post)
    #expect(request.head.path == "/xrpc/app.bsky.graph.muteActor")
    #expect(request.head.headerFields[.contentType] == "application/json")
    #expect(request.body == Array(#"{"actor":"\#(Accounts.did(1))"}"#.utf8))
  }

  @Test func namesTheProxiedServiceAndTheLabelers() async throws {
    let transport = ScriptedTransport(responses: [empty, empty])
    var client = try client(transport)
    _ = try await client.query(Relationships.self, parameters)
    client.configuration.proxy = ServiceReference(
      did: try DID(parsing: "did:web:api.bsky.app"), service: "bsky_appview")
    client.configuration.labelers = [Accounts.did(8), Accounts.did(9)]
    _ = try await client.query(Relationships.self, parameters)
    let proxy = try #require(HTTPField.Name("atproto-proxy"))
    let labelers = try #require(HTTPField.Name("atproto-accept-labelers"))
    let fields = transport.requests.map(\.head.headerFields)
    #expect(fields.map { $0[proxy] } == [nil, "did:web:api.bsky.app#bsky_appview"])
    #expect(fields.map { $0[labelers] } == [nil, "\(Accounts.did(8)), \(Accounts.did(9))"])
  }

  @Test(arguments: ["", "a b", "a#b", "a\r\nX-Evil: 1", "ü"]) func refusesAProxyThatWouldBreakTheHeader(
    fragment: String
  ) {
    #expect(ServiceReference(did: Accounts.did(1), service: fragment) == nil)
  }

  @Test func sendsNothingThatBreaksTheLexicon() async throws {
    let transport = ScriptedTransport([])
    let others = Accounts.dids(0..<31).map(ATIdentifier.did)
    let client = try client(transport)
    await #expect {
      _ = try await client.query(
        Relationships.self, Relationships.Parameters(actor: .did(Accounts.did(0)), others: others))
    } throws: { error in
      let error = error as? XRPCError
      return error?.code == .invalidRequest
        && (error?.underlying as? KithCore.ValidationError)?.path == "others"
    }
    #expect(transport.requests.isEmpty)
    #expect(meter.cost.calls == 0)
  }

  // MARK: What is repeated

  @Test(arguments: [408, 421, 425, 500, 502, 503, 504, 507, 520, 522, 524, 530, 599])
  func repeatsAQueryAfterAStatusThatPasses(
    status: Int
  ) async throws {
    let output = try await ask([
      .success(TransportResponse(status: status)), .success(TransportResponse(status: status)),
      .success(empty),
    ])
    #expect(output.relationships.isEmpty)
    #expect(meter.cost.calls == 3)
    #expect(meter.cost.retries == 2)
    #expect(clock.slept == [.milliseconds(200), .milliseconds(400)])
  }

  /// A second, doubled each time, if the server names no time.
  @Test func repeatsAQueryAfterARefusal() async throws {
    let refusal = Result<TransportResponse, any Error>.success(TransportResponse(status: 429))
    _ = try await ask([refusal, refusal, .success(empty)])
    #expect(meter.cost.calls == 3)
    #expect(meter.cost.retries == 2)
    #expect(clock.slept == [.seconds(1), .seconds(2)])
  }

  @Test(arguments: [300, 301, 304, 307, 400, 401, 403, 404, 413, 418, 501, 505])
  func repeatsNoOtherStatus(status: Int) async {
    await #expect(throws: XRPCError.self) { try await ask([.success(TransportResponse(status: status))]) }
    #expect(meter.cost.calls == 1)
  }

  @Test(arguments: [
    TransportError.Code.cannotResolveHost, .cannotConnect, .timedOut, .connectionLost, .truncatedBody,
    .malformedResponse,
  ]) func repeatsAQueryAfterAFaultOfTheConnection(code: TransportError.Code) async throws {
    _ = try await ask([.failure(TransportError(code, host: "appview.test")), .success(empty)])
    #expect(meter.cost.calls == 2)
  }

  @Test(arguments: [
    TransportError.Code.invalidRequest, .tlsFailure, .proxyRefused, .responseTooLarge, .forbiddenAddress,
    .tooManyRedirects, .closed, .unsupported,
  ]) func repeatsNoOtherFault(code: TransportError.Code) async {
    let fault = TransportError(code, host: "appview.test", detail: "why")
    await #expect {
      try await ask([.failure(fault)])
    } throws: { error in
      let error = error as? XRPCError
      let kind: XRPCError.Code = code == .responseTooLarge ? .invalidResponse : .transport
      return error?.code == kind && error?.underlying as? TransportError == fault
        && error?.message == fault.detail && error?.status == nil
    }
    #expect(meter.cost.calls == 1)
  }

  @Test func repeatsNothingThatTheLexiconDoesNotAllow() async {
    await #expect(throws: XRPCError.self) { try await ask([.success(TransportResponse("{}"))]) }
    #expect(meter.cost.calls == 1)
  }

  @Test func keepsTheWaitThatTheServerAsksFor() async throws {
    let refusal = TransportResponse.xrpcError(
      429, "RateLimitExceeded", "Too many", fields: HTTPFields(named: ["Retry-After": "9"]))
    _ = try await ask([.success(refusal), .success(empty)])
    #expect(clock.slept.count == 1)
    #expect(try #require(clock.slept.first) >= .seconds(9))
  }

  /// Q25: the reset is a time; in a response that is not a refusal it is not a wait.
  @Test func waitsForTheResetOnlyAfterARefusal() async throws {
    let fields = HTTPFields(named: ["RateLimit-Reset": "1760000020"])
    _ = try await ask([
      .success(TransportResponse(status: 502, fields: fields)),
      .success(TransportResponse(status: 429, fields: fields)), .success(empty),
    ])
    #expect(clock.slept.count == 2)
    #expect(clock.slept[0] <= .milliseconds(200))
    #expect(clock.slept[1] >= .seconds(19))
  }

  @Test func givesUpAtOnceWhenTheWaitExceedsItsPatience() async {
    let refusal = TransportResponse.xrpcError(
      429, "RateLimitExceeded", "Too many", fields: HTTPFields(named: ["Retry-After": "3600"]))
    await #expect {
      try await ask([.success(refusal)])
    } throws: { error in
      let error = error as? XRPCError
      return error?.code == .rateLimited && error?.retryAfter == .seconds(3600)
    }
    #expect(clock.slept.isEmpty)
  }

  @Test func repeatsAProcedureOnlyWhenItIsIdempotent() async throws {
    let input = Mute.Input(actor: .did(Accounts.did(1)))
    let once = ScriptedTransport(responses: [TransportResponse(status: 503), TransportResponse()])
    let careful = try client(once)
    await #expect(throws: XRPCError.self) { try await careful.call(Mute.self, NoParameters(), input: input) }
    #expect(once.requests.count == 1)
    let twice = ScriptedTransport(responses: [TransportResponse(status: 503), TransportResponse()])
    _ = try await client(twice).call(Mute.self, NoParameters(), input: input, isIdempotent: true)
    #expect(twice.requests.count == 2)
    #expect(twice.requests[0].body == twice.requests[1].body)
  }

  // MARK: What comes back

  @Test func readsTheErrorsOfReferenceServers() async {
    await #expect {
      try await ask([.success(.xrpcError(400, "InvalidRequest", "Error: others must not be longer"))])
    } throws: { error in
      let error = error as? XRPCError
      return error?.code == .refused && error?.status == 400 && error?.name?.rawValue == "InvalidRequest"
        && error?.message == "Error: others must not be longer" && error?.service == "https://appview.test"
        && "\(error as Any)".contains("app.bsky.graph.getRelationships")
    }
  }

  /// The table of PDSes: some send errors as plain text, proxies send HTML, others an empty body.
  @Test(arguments: [
    ("no such record", "text/plain", "no such record"),
    ("<html>\n <title>Not here</title> <h1>404</h1>\n</html>\n", "text/html", "a web page: Not here"),
    (#"{"message":"lonely"}"#, "application/json", #"{"message":"lonely"}"#),
    (#"{"error":7}"#, "application/json", #"{"error":7}"#),
    ("", "text/plain", "Not Found"),
    ("  \n ", "text/plain", "Not Found"),
    (#"{"error":"Blocked"}"#, "application/json", "Not Found"),
    (#"{"error":"Blocked","message":null}"#, "application/json", "Not Found"),
    (#"{"error":"Blocked","message":""}"#, "application/json", "Not Found"),
  ]) func keepsTheWordsOfOtherServers(body: String, type: String, message: String) async {
    await #expect {
      var response = TransportResponse(body, type: type)
      response.head.status = HTTPResponse.Status(code: 404, reasonPhrase: "Not Found")
      _ = try await ask([.success(response)])
    } throws: { ($0 as? XRPCError)?.message == message }
  }

  /// A firewall in front of the server refuses, not the server, which would name its error.
  @Test(arguments: [
    ("not you", "text/plain", true), ("<title>not you</title>", "text/html", true),
    (#"{"error":"Forbidden","message":"not you"}"#, "application/json", false),
  ])
  func tellsABlockedClientFromARefusal(body: String, type: String, isBlocked: Bool) async throws {
    var response = TransportResponse(body, type: type)
    response.head.status = HTTPResponse.Status(code: 403)
    let error = await #expect(throws: XRPCError.self) { try await ask([.success(response)]) }
    let words = try #require(error?.message)
    let own = try #require(words.firstRange(of: "not you"))
    #expect((own.upperBound < words.endIndex) == isBlocked)
  }

  /// The same document comes again from a server that writes it so, unlike a captive portal's page.
  @Test func repeatsUnreadableDocumentsLittle() async {
    let twice = TransportResponse(#"{"relationships":[],"relationships":[]}"#)
    await #expect(throws: XRPCError.self) { try await ask(Array(repeating: .success(twice), count: 16)) }
    #expect(meter.cost.calls == 3)
    #expect(clock.slept.count == 2)
  }

  /// HTTP/2 has no reason phrases.
  @Test func givesAReasonIfTheServerDoesNot() async {
    var silent = TransportResponse(#"{"error":"Blocked"}"#)
    silent.head.status = HTTPResponse.Status(code: 403, reasonPhrase: "")
    await #expect {
      try await ask([.success(silent)])
    } throws: { ($0 as? XRPCError)?.message.isEmpty == false }
  }

  @Test func survivesBytesThatAreNoText() async {
    var response = TransportResponse(status: 400, type: "application/octet-stream")
    response.body = [0xff, 0xfe, 0x00, 0xc3]
    await #expect {
      try await ask([.success(response)])
    } throws: { ($0 as? XRPCError)?.status == 400 }
  }

  @Test func limitsTheMessageOfAServer() async {
    // The second is a single character.
    let floods = [
      String(repeating: "lorem ", count: 100_000), "a" + String(repeating: "\u{301}", count: 300_000),
    ]
    for body in floods.flatMap({ [$0, #"{"error":"\#($0)","message":"\#($0)"}"#] }) {
      await #expect {
        try await ask([.success(TransportResponse(status: 400, body))])
      } throws: { "\($0)".utf8.count < 2_000 }
    }
  }

  @Test func reportsTheTargetOfARedirect() async {
    let moved = TransportResponse(
      status: 301, "<html>moved</html>",
      fields: HTTPFields(named: ["Location": "https://elsewhere.test/xrpc"]))
    await #expect {
      try await ask([.success(moved)])
    } throws: { error in
      let error = error as? XRPCError
      return error?.code == .refused && error?.message.contains("https://elsewhere.test/xrpc") == true
    }
  }

  @Test(arguments: ["", "<html>sign in to this hotel's wifi</html>", "[1,2", "null", "\u{feff}"])
  func rejectsAResponseThatIsNotJSON(body: String) async {
    await #expect {
      try await ask(Array(repeating: .success(TransportResponse(body)), count: 16))
    } throws: { ($0 as? XRPCError)?.code == .invalidResponse }
  }

  @Test(arguments: [
    ("{}", ""), (#"{"relationships":7}"#, "relationships"),
    (#"{"actor":"alice","relationships":[]}"#, "actor"),
    (
      #"{"relationships":[{"$type":"app.bsky.graph.defs#relationship","did":"did:web:a.test"},{"$type":"app.bsky.graph.defs#relationship","did":"a.test"}]}"#,
      "relationships[1].did"
    ),
    (
      #"{"relationships":[{"$type":"app.bsky.graph.defs#relationship","did":"did:web:a.test","following":"https://x"}]}"#,
      "relationships[0].following"
    ),
  ]) func namesThePathAtWhichTheLexiconIsBroken(body: String, path: String) async {
    await #expect {
      try await ask([.success(TransportResponse(body))])
    } throws: { error in
      let error = error as? XRPCError
      return error?.code == .invalidResponse
        && (error?.underlying).map { DecodingFault($0).path } == path
    }
  }

  @Test func countsWhatEveryExchangeCosts() async throws {
    let metrics = TransportResponse.Metrics(
      bytesSent: 100, bytesReceived: 250, elapsed: .milliseconds(20), connectionsOpened: 1)
    var refusal = TransportResponse(status: 503)
    refusal.metrics = metrics
    var answer = empty
    answer.metrics = metrics
    _ = try await ask([.success(refusal), .success(answer)])
    var expected = CallCost()
    expected.calls = 2
    expected.retries = 1
    expected.bytesSent = 200
    expected.bytesReceived = 500
    expected.time = .milliseconds(40)
    expected.connectionsOpened = 2
    #expect(meter.cost == expected)
  }

  @Test func endsACallWhenItsTaskIsCancelled() async throws {
    let transport = ScriptedTransport(turnstile: Turnstile(isOpen: false)) { _ in TransportResponse("{}") }
    let client = try client(transport)
    let task = Task { try await client.query(Relationships.self, parameters) }
    await transport.turnstile.untilArrived(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(transport.turnstile.inside == 0)
    #expect(transport.requests.count == 1)
  }
}
