// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import KithCore
import TestSupport
import Testing

@Suite struct DIDResolverTests {
  private let clock = ManualClock(.skipping)
  private let meter = CallMeter()

  private func resolver(_ transport: ScriptedTransport, named: [String] = []) throws -> DIDResolver {
    DIDResolver(
      plc: try ServiceURL(parsing: "https://plc.test/base"),
      named: TrustedHosts(try named.map { try ServiceURL(parsing: $0) }), transport: transport, meter: meter,
      time: clock.timeSource(), random: { 1 })
  }

  private func document(_ did: some CustomStringConvertible) -> TransportResponse {
    TransportResponse(#"{"id":"\#(did)","alsoKnownAs":["at://alice.test"]}"#)
  }

  private func failure(
    _ did: DID, _ script: [Result<TransportResponse, any Error>]
  ) async throws -> IdentityError? {
    do {
      _ = try await resolver(ScriptedTransport(script)).document(of: did)
      return nil
    } catch let error as IdentityError {
      return error
    }
  }

  @Test func asksTheDirectoryForAPLC() async throws {
    let did = Accounts.did(1)
    let transport = ScriptedTransport(responses: [document(did)])
    let found = try await resolver(transport).document(of: did)
    #expect(found.id == did)
    #expect(found.handle?.description == "alice.test")
    let request = try #require(transport.requests.first)
    #expect(request.head.method == .get)
    #expect(request.head.scheme == "https")
    #expect(request.head.authority == "plc.test")
    #expect(request.head.path == "/base/\(did)")
    #expect(request.limits.responseBytes == 64 << 10)
  }

  @Test(arguments: [
    ("did:web:alice.test", "https", "alice.test"), ("did:web:alice.test%3A8443", "https", "alice.test:8443"),
    ("did:web:alice.test%3a8443", "https", "alice.test:8443"),
    ("did:web:localhost%3A2583", "https", "localhost:2583"),
    ("did:web:127.0.0.1", "https", "127.0.0.1"),
  ]) func asksTheHostOfAWeb(text: String, scheme: String, authority: String) async throws {
    let transport = ScriptedTransport(responses: [document(text)])
    _ = try await resolver(transport).document(of: try DID(parsing: text))
    let request = try #require(transport.requests.first)
    #expect(request.head.scheme == scheme)
    #expect(request.head.authority == authority)
    #expect(request.head.path == "/.well-known/did.json")
    #expect(request.reach == .publicOnly)
  }

  @Test(arguments: [
    ("http://localhost:2583", "did:web:localhost%3A2583", "http", "localhost:2583"),
    ("http://localhost:2583", "did:web:LOCALHOST%3A2583", "http", "localhost:2583"),
    ("http://localhost", "did:web:localhost%3A80", "http", "localhost"),
    ("https://inside.test/base", "did:web:inside.test", "https", "inside.test"),
  ]) func asksANamedHostAsTheUserNamedIt(
    named: String, text: String, scheme: String, authority: String
  ) async throws {
    let transport = ScriptedTransport(responses: [document(text)])
    _ = try await resolver(transport, named: [named]).document(of: try DID(parsing: text))
    let request = try #require(transport.requests.first)
    #expect(request.head.scheme == scheme)
    #expect(request.head.authority == authority)
    #expect(request.head.path == "/.well-known/did.json")
    #expect(request.reach == .anywhere)
  }

  @Test func namesAPortAndNotTheWholeHost() async throws {
    let transport = ScriptedTransport(responses: [document("did:web:localhost%3A9999")])
    let did = try DID(parsing: "did:web:localhost%3A9999")
    _ = try await resolver(transport, named: ["http://localhost:2583"]).document(of: did)
    #expect(transport.requests.first?.reach == .publicOnly)
    #expect(transport.requests.first?.head.scheme == "https")
  }

  @Test(arguments: [
    "did:web:alice.test:user:alice", "did:web:alice.test%2Fpath", "did:web:alice.test%3A80%3A90",
    "did:web:alice.test%3A", "did:web:a%40b.test", "did:web:..", "did:key:zQ3sh", "did:example:alice",
  ]) func makesNoCallForADIDThatNoAccountHas(text: String) async throws {
    let did = try DID(parsing: text)
    let error = try await failure(did, [])
    #expect(error?.code == .unsupportedMethod)
    #expect(error?.subject == text)
    #expect(meter.cost.calls == 0)
  }

  @Test(arguments: [404, 410]) func reportsAMissingDID(status: Int) async throws {
    let error = try await failure(
      Accounts.did(1), [.success(.absence(of: Accounts.did(1), status: status))])
    #expect(error?.code == .notFound)
    #expect(meter.cost.calls == 1)
  }

  /// A wrong path of a mirror, or the page of a proxy, says nothing about a DID.
  @Test(
    arguments: [404, 410],
    [
      "<html>Not Found</html>", "", "{}", #"{"message":"not found"}"#,
      #"{"message":"DID not registered: did:plc:aaaaaaaaaaaaaaaaaaaaaaaz"}"#,
    ]) func concludesNothingFromAnotherBody(status: Int, body: String) async throws
  {
    let error = try await failure(
      Accounts.did(1), [.success(TransportResponse(status: status, body))])
    #expect(error?.code == .unavailable)
    #expect(error?.isConclusive == false)
    #expect(error?.detail.contains("\(status)") == true)
    #expect(meter.cost.calls == 1)
  }

  @Test(arguments: [404, 410]) func namesTheURLOfAMissingDocument(status: Int) async throws {
    let error = try await failure(
      try DID(parsing: "did:web:alice.test"), [.success(TransportResponse(status: status, "<html>"))])
    #expect(error?.code == .notFound)
    #expect(error?.detail.contains("https://alice.test/.well-known/did.json") == true)
  }

  @Test(arguments: [429, 500, 502, 503, 504]) func repeatsWhatMayPass(status: Int) async throws {
    let did = Accounts.did(1)
    let transport = ScriptedTransport(responses: [TransportResponse(status: status), document(did)])
    _ = try await resolver(transport).document(of: did)
    #expect(meter.cost.calls == 2)
    #expect(meter.cost.retries == 1)
  }

  @Test func repeatsAfterAFaultOfTheConnection() async throws {
    let did = Accounts.did(1)
    let transport = ScriptedTransport([
      .failure(TransportError(.connectionLost, host: "plc.test")), .success(document(did)),
    ])
    _ = try await resolver(transport).document(of: did)
    #expect(meter.cost.calls == 2)
  }

  @Test func givesUpAfterItsAttempts() async throws {
    let error = try await failure(
      Accounts.did(1), Array(repeating: .success(TransportResponse(status: 503)), count: 9))
    #expect(error?.code == .unavailable)
    #expect(error.map { "\($0)".contains("503") } == true)
    #expect(meter.cost.calls == 6)
  }

  @Test(arguments: [
    TransportError.Code.forbiddenAddress, .tlsFailure, .tooManyRedirects, .responseTooLarge,
  ]) func repeatsNothingElse(code: TransportError.Code) async throws {
    let error = try await failure(Accounts.did(1), [.failure(TransportError(code, host: "plc.test"))])
    #expect(error?.code == .unavailable)
    #expect(meter.cost.calls == 1)
  }

  @Test(arguments: [301, 400, 403, 451]) func learnsNothingFromOtherRefusals(status: Int) async throws {
    let error = try await failure(Accounts.did(1), [.success(TransportResponse(status: status))])
    #expect(error?.code == .unavailable)
    #expect(meter.cost.calls == 1)
  }

  /// Q25: every response names the reset of its window; only a 429 asks to wait for it.
  @Test func waitsForTheResetOnlyAfterARefusal() async throws {
    let did = Accounts.did(1)
    let fields = HTTPFields(named: ["RateLimit-Reset": "1760000250"])
    let transport = ScriptedTransport(responses: [
      TransportResponse(status: 502, fields: fields), document(did),
    ])
    _ = try await resolver(transport).document(of: did)
    #expect(clock.slept.count == 1)
    #expect(try #require(clock.slept.first) < .seconds(1))
  }

  @Test(arguments: ["", "<html></html>", "{\"id\""])
  func asksTheDirectoryAgainIfItsResponseIsNotJSON(body: String) async throws {
    let did = Accounts.did(1)
    let broken = TransportResponse(body)
    let transport = ScriptedTransport(responses: [broken, broken, document(did)])
    #expect(try await resolver(transport).document(of: did).id == did)
    #expect(meter.cost.retries == 2)
    let error = try await failure(did, Array(repeating: .success(broken), count: 16))
    #expect(error?.code == .malformedDocument)
  }

  @Test func takesTheFirstPageOfAWebThatHasNoDocument() async throws {
    let error = try await failure(
      try DID(parsing: "did:web:alice.test"), [.success(TransportResponse("<html></html>"))])
    #expect(error?.code == .malformedDocument)
    #expect(meter.cost.calls == 1)
  }

  @Test(arguments: ["[]", "{}", #"{"id":"alice"}"#])
  func rejectsWhatIsNotADocument(body: String) async throws {
    let error = try await failure(Accounts.did(1), [.success(TransportResponse(body))])
    #expect(error?.code == .malformedDocument)
    #expect(meter.cost.calls == 1)
  }

  @Test func rejectsTheDocumentOfAnotherDID() async throws {
    let error = try await failure(Accounts.did(1), [.success(document(Accounts.did(2)))])
    #expect(error?.code == .malformedDocument)
    #expect(error.map { "\($0)".contains("\(Accounts.did(2))") } == true)
  }

  /// A dead directory costs the first document its attempts, and the others nothing.
  @Test func leavesADeadDirectoryAlone() async throws {
    let transport = ScriptedTransport { _ in throw TransportError(.cannotConnect, host: "plc.test") }
    let resolver = try resolver(transport)
    var codes: [IdentityError.Code?] = []
    for number in 0..<3 {
      do { _ = try await resolver.document(of: Accounts.did(number)) } catch let error as IdentityError {
        codes.append(error.code)
      }
    }
    #expect(codes == [.unavailable, .unavailable, .unavailable])
    #expect(transport.requests.count == 4)
  }

  @Test func waitsForItsRateLimit() async throws {
    let did = Accounts.did(1)
    let fields = HTTPFields(named: ["Retry-After": "60"])
    let transport = ScriptedTransport(responses: [
      TransportResponse(status: 429, fields: fields), document(did),
    ])
    #expect(try await resolver(transport).document(of: did).id == did)
    #expect(clock.slept == [.seconds(61)])
  }

  // MARK: Hosts of strangers

  private func calls(
    to text: String, named: [String] = [], _ answer: @escaping @Sendable () throws -> TransportResponse
  ) async throws -> ([TransportRequest], Duration) {
    let transport = ScriptedTransport { _ in try answer() }
    let time = clock.timeSource()
    let started = time.now
    await #expect(throws: IdentityError.self) {
      try await resolver(transport, named: named).document(of: DID(parsing: text))
    }
    return (transport.requests, time.now - started)
  }

  @Test func aHostOfAStrangerHasTwoAttemptsOfFiveSeconds() async throws {
    let down: @Sendable () throws -> TransportResponse = { throw TransportError(.timedOut, host: "x") }
    let (requests, _) = try await calls(to: "did:web:alice.example.com", down)
    #expect(requests.count == 2)
    #expect(requests.first?.limits.total == .seconds(5))
    let (named, _) = try await calls(
      to: "did:web:alice.example.com", named: ["https://alice.example.com"], down)
    #expect(named.count == 4)
  }

  /// A server that asks to come back in ten minutes does not block the caller.
  @Test func doesNotWaitForTheHostOfAStranger() async throws {
    let (requests, elapsed) = try await calls(to: "did:web:alice.example.com") {
      TransportResponse(status: 429, fields: HTTPFields(named: ["Retry-After": "590"]))
    }
    #expect(requests.count == 1)
    #expect(elapsed <= .seconds(5))
  }
}
