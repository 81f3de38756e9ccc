// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithCore
import KithLexicons
import TestSupport
import Testing

@testable import KithClient

/// A session of another kind than bearer tokens: each request carries a proof of its method, its address, a number that is
/// used once, and the server's nonce, as with DPoP (RFC 9449).
@Suite struct RequestAuthorizerTests {
  private static let nonceName = HTTPField.Name("DPoP-Nonce")
  private static let proofName = HTTPField.Name("DPoP")

  private struct NoKey: Error, CustomStringConvertible {
    let description = "no key for the-secret"
  }

  private final class Prover: RequestAuthorizer {
    private struct State {
      var nonce = "none"
      var proofs = 0
      var prepared = 0
    }

    let service: ServiceURL
    private let hasKey: Bool
    private let state = PosixMutex(State())

    init(_ service: ServiceURL, hasKey: Bool = true) { (self.service, self.hasKey) = (service, hasKey) }

    var prepared: Int { state.withLock(\.prepared) }

    func prepare() throws {
      state.withLock { $0.prepared += 1 }
      if !hasKey { throw NoKey() }
    }

    func authorize(_ head: inout HTTPRequest, body: [UInt8]?) throws {
      let (number, nonce) = state.withLock { state in
        state.proofs += 1
        return (state.proofs, state.nonce)
      }
      head.headerFields[.authorization] = "DPoP the-access-token"
      head.headerFields[try #require(proofName)] =
        "\(head.method)|\(head.authority ?? "")\(head.path ?? "")|\(body?.count ?? 0)|\(number)|\(nonce)"
    }

    func received(_ answer: HTTPResponse) {
      guard let name = nonceName, let nonce = answer.headerFields[name] else { return }
      state.withLock { $0.nonce = nonce }
    }

    func canRetry(_ refused: RefusedCall) -> Bool { refused.error?.rawValue == "use_dpop_nonce" }
  }

  private let service: ServiceURL

  init() throws { service = try ServiceURL(parsing: "https://pds.test") }

  private func client(_ transport: ScriptedTransport, _ authorizer: any RequestAuthorizer) -> XRPCClient {
    XRPCClient(
      service: service, transport: transport,
      configuration: XRPCClient.Configuration(retry: RetryPolicy(attempts: 3), random: { 0 }),
      time: ManualClock(.skipping).timeSource()
    ).authorized(by: authorizer)
  }

  private func proofs(_ transport: ScriptedTransport) throws -> [String] {
    let name = try #require(Self.proofName)
    return transport.requests.compactMap { $0.head.headerFields[name] }
  }

  private static func answer(_ nonce: String) -> TransportResponse {
    TransportResponse(
      #"{"did":"did:plc:aaaaaaaaaaaaaaaaaaaaaaaa","handle":"a.test"}"#,
      fields: HTTPFields(named: ["DPoP-Nonce": nonce]))
  }

  private static func refusal(_ nonce: String) -> TransportResponse {
    TransportResponse(
      status: 401, #"{"error":"use_dpop_nonce","message":"again"}"#,
      fields: HTTPFields(named: ["DPoP-Nonce": nonce]))
  }

  @Test func aProofIsMadeForEachAttemptWithTheLastNonce() async throws {
    let down = TransportResponse(status: 503)
    let transport = ScriptedTransport(responses: [
      Self.refusal("n1"), down, Self.answer("n2"), Self.answer("n3"),
    ])
    let prover = Prover(service)
    let client = client(transport, prover)
    for _ in 0..<2 { _ = try await client.query(Com.Atproto.Server.GetSession.self, NoParameters()) }
    let address = "GET|pds.test/xrpc/com.atproto.server.getSession|0"
    #expect(
      try proofs(transport) == ["\(address)|1|none", "\(address)|2|n1", "\(address)|3|n1", "\(address)|4|n2"])
    #expect(prover.prepared == 2)
  }

  /// The refused call had no effect.
  @Test func aRefusedWriteIsSentOnceMoreAndNotTwice() async throws {
    let transport = ScriptedTransport { _ in Self.refusal("n") }
    let client = client(transport, Prover(service))
    typealias Method = Com.Atproto.Repo.CreateRecord
    let input = Method.Input(
      repo: .did(Accounts.did(1)), collection: try NSID(parsing: "com.example.note"), record: ["text": "once"]
    )
    let error = await #expect(throws: XRPCError.self) {
      try await client.call(Method.self, NoParameters(), input: input)
    }
    #expect(error?.status == 401 && transport.requests.count == 2)
    #expect(try proofs(transport).allSatisfy { $0.hasPrefix("POST|") && !$0.contains("|0|") })
  }

  @Test func aStreamIsAuthorizedInTheSameWay() async throws {
    let transport = ScriptedTransport(responses: [Self.refusal("n1"), Self.answer("n2")])
    let request = XRPCRequest(method: Com.Atproto.Server.GetSession.nsid, verb: .get)
    let stream = try await client(transport, Prover(service)).stream(request, repeatable: true)
    #expect(try await stream.body.collect(upTo: 1_000).count > 10)
    #expect(try proofs(transport).map { $0.hasSuffix("none") } == [true, false])
  }

  @Test func noErrorQuotesWhatAuthorizesACall() async throws {
    let transport = ScriptedTransport { request in
      let fields = request.head.headerFields.map { "\($0.name): \($0.value)" }
      return .xrpcError(400, "DPoPInvalid", "a DPoP proof: " + fields.joined(separator: "; "))
    }
    let client = client(transport, Prover(service))
    let error = await #expect(throws: XRPCError.self) {
      try await client.query(Com.Atproto.Server.GetSession.self, NoParameters())
    }
    let message = try #require(error?.message)
    #expect(message.contains("application/json") && message.contains("DPoP"))
    #expect(error?.name?.rawValue == "DPoPInvalid")
    #expect(!message.contains("access-token") && !message.contains("GET|pds") && !message.contains("|1|none"))
    let refused = RefusedCall(
      request: try #require(transport.requests.first?.head), answer: HTTPResponse(status: .unauthorized),
      error: nil)
    #expect(!"\(refused)".contains("access-token") && !String(reflecting: refused).contains("access-token"))
  }

  @Test func aCallThatCannotBeAuthorizedIsNotSent() async throws {
    let transport = ScriptedTransport([])
    let error = await #expect(throws: XRPCError.self) {
      try await client(transport, Prover(service, hasKey: false)).query(
        Com.Atproto.Server.GetSession.self, NoParameters())
    }
    #expect(error?.code == .notSignedIn && error?.underlying is NoKey && error?.wasSent == false)
    #expect(error?.message.contains("the-secret") == false)
    #expect(transport.requests.isEmpty)
  }

  @Test func nothingIsAuthorizedForAnotherService() async throws {
    let transport = ScriptedTransport([])
    let elsewhere = Prover(try ServiceURL(parsing: "https://other.test"))
    let error = await #expect(throws: XRPCError.self) {
      try await client(transport, elsewhere).query(Com.Atproto.Server.GetSession.self, NoParameters())
    }
    #expect(error?.code == .invalidRequest && transport.requests.isEmpty)
  }
}
