// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLexicons
import TestSupport
import Testing

@testable import KithClient

@Suite struct TransportCapabilitiesTests {
  private let clock = ManualClock(.skipping)
  private let document = TransportResponse(#"{"id":"did:web:a.example.com"}"#)

  private func client(
    _ transport: ScriptedTransport, _ reach: TransportRequest.Reach
  ) throws -> XRPCClient {
    XRPCClient(
      service: try ServiceURL(parsing: "https://pds.test"), transport: transport,
      configuration: .init(reach: reach), time: clock.timeSource())
  }

  private func ask(_ client: XRPCClient) async -> TransportError.Code? {
    let parameters = App.Bsky.Actor.GetProfile.Parameters(actor: .did(Accounts.did(1)))
    let error = await XRPCError.thrown {
      try await client.query(App.Bsky.Actor.GetProfile.self, parameters)
    }
    return (error?.underlying as? TransportError)?.code
  }

  @Test(arguments: [[], TransportCapabilities.connectedAddress, .headLimit, [.headLimit, .backpressure]])
  func asksNoStrangerWithoutBoth(capabilities: TransportCapabilities) async throws {
    let transport = ScriptedTransport(capabilities: capabilities) { _ in TransportResponse("{}") }
    let stranger = try client(transport, .anywhere).client(
      ofUntrustedHost: try ServiceURL(parsing: "https://b.test"), unless: TrustedHosts([]))
    #expect(await ask(stranger) == .unsupported)
    #expect(await ask(stranger.wrapping { RateLimitListener($0) { _, _, _ in } }) == .unsupported)
    let streamed = await XRPCError.thrown {
      try await stranger.stream(
        XRPCRequest(method: try NSID(parsing: "com.atproto.sync.getRepo"), verb: .get), repeatable: true)
    }
    #expect((streamed?.underlying as? TransportError)?.code == .unsupported)
    #expect(transport.requests.isEmpty)
  }

  @Test func asksNamedHostsWithoutAny() async throws {
    let transport = ScriptedTransport(capabilities: []) { _ in TransportResponse(status: 404) }
    #expect(await ask(try client(transport, .anywhere)) == nil)
    #expect(transport.requests.count == 1)
  }

  @Test func fetchesNoDocumentOfAStranger() async throws {
    let transport = ScriptedTransport(capabilities: []) { _ in document }
    func resolver(_ named: [ServiceURL]) throws -> DIDResolver {
      DIDResolver(
        plc: try ServiceURL(parsing: "https://plc.test"), named: TrustedHosts(named), transport: transport,
        time: clock.timeSource())
    }
    let did = try DID(parsing: "did:web:a.example.com")
    let error = await IdentityError.thrown { try await resolver([]).document(of: did) }
    #expect(error?.code == .unavailable)
    #expect((error?.underlying as? TransportError)?.code == .unsupported)
    #expect(transport.requests.isEmpty)
    let host = try ServiceURL(parsing: "https://a.example.com")
    #expect(try await resolver([host]).document(of: did).id == did)
  }

  @Test func provesNoHandleByItsWebServer() async throws {
    let transport = ScriptedTransport(capabilities: []) { _ in TransportResponse("\(Accounts.did(1))") }
    let verifier = HandleVerifier(
      texts: nil, transport: transport, named: TrustedHosts([]), time: clock.timeSource())
    let proof = try await verifier.proof(of: Handle(parsing: "a.example.com"), asking: .all)
    guard case .failure(let error) = proof.owner else {
      Issue.record("it was proven")
      return
    }
    // Not learned, and not "no account".
    #expect(error.code == .unavailable)
    #expect((error.underlying as? TransportError)?.code == .unsupported)
    #expect(transport.requests.isEmpty)
  }

  @Test func keepsTheCapabilitiesOfAWrappedTransport() {
    let all: TransportCapabilities = [.connectedAddress, .headLimit, .backpressure]
    let transport = ScriptedTransport(capabilities: all) { _ in TransportResponse() }
    #expect(RateLimitListener(transport) { _, _, _ in }.capabilities == all)
    #expect(ServerClock(transport, time: clock.timeSource()).capabilities == all)
    #expect(
      CancellationShieldedTransport(transport: transport).capabilities == [.connectedAddress, .headLimit])
    #expect(CheckedTransport(CheckedTransport(transport)).base is ScriptedTransport)
  }
}
