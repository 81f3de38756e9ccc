// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithCore
import TestSupport
import Testing

@testable import KithClient

@Suite struct HandleVerifierTests {
  private let alice = Accounts.did(1)
  private let bob = Accounts.did(2)
  private let handle = Handle("alice.example.com")

  private static let record = "_atproto.alice.example.com"

  private func verifier(
    dns: [String] = [], web: TransportResponse = TransportResponse(status: 404),
    resolver: ServiceURL? = nil
  ) -> (HandleVerifier, ScriptedTextRecords, ScriptedTransport) {
    self.verifier(ScriptedTextRecords([Self.record: dns]), ScriptedTransport { _ in web }, resolver: resolver)
  }

  private func verifier(
    _ texts: ScriptedTextRecords, _ transport: ScriptedTransport, resolver: ServiceURL? = nil
  ) -> (HandleVerifier, ScriptedTextRecords, ScriptedTransport) {
    let time = ManualClock(.skipping).timeSource()
    let client = resolver.map {
      XRPCClient(
        service: $0, transport: transport, configuration: XRPCClient.Configuration(retry: .never), time: time)
    }
    let verifier = HandleVerifier(
      texts: texts, transport: transport, resolver: client, named: TrustedHosts([]), time: time)
    return (verifier, texts, transport)
  }

  private func page(_ text: String) -> TransportResponse { TransportResponse(text, type: "text/plain") }

  private func fault(_ proof: HandleVerification) -> IdentityError? {
    if case .failure(let error) = proof.owner { error } else { nil }
  }

  @Test func takesTheWordOfTheDNS() async throws {
    let (verifier, texts, transport) = verifier(dns: ["v=spf1", "did=\(alice)"])
    let proof = try await verifier.proof(of: #require(handle), asking: .firstAnswer)
    #expect(try proof.owner.get() == alice)
    #expect(proof.sources(naming: alice) == [.dns])
    #expect(texts.names == [Self.record])
    #expect(transport.requests.isEmpty)
  }

  @Test func trustsTheWebServerIfTheDNSHasNoRecord() async throws {
    let (verifier, _, transport) = verifier(web: page("\n \(alice)\r\n"))
    let proof = try await verifier.proof(of: #require(handle), asking: .firstAnswer)
    #expect(try proof.owner.get() == alice)
    #expect(proof.sources(naming: alice) == [.https])
    let request = try #require(transport.requests.first)
    #expect(request.head.scheme == "https" && request.head.authority == "alice.example.com")
    #expect(request.head.path == "/.well-known/atproto-did")
    #expect(request.reach == .publicOnly)
    #expect(request.limits.responseBytes == 2_048)
    #expect(request.limits.total == .seconds(5))
  }

  @Test func isAmbiguousIfRecordsDiffer() async throws {
    let (verifier, _, transport) = verifier(dns: ["did=\(alice)", "did=\(bob)"], web: page("\(alice)"))
    let proof = try await verifier.proof(of: #require(handle), asking: .firstAnswer)
    #expect(fault(proof)?.code == .ambiguous)
    #expect(transport.requests.isEmpty)
    let (other, _, _) = self.verifier(dns: ["did=\(alice)", "did=\(bob)"], web: page("\(alice)"))
    #expect(fault(try await other.proof(of: #require(handle), asking: .all))?.code == .ambiguous)
  }

  @Test func takesEqualRecordsForOne() async throws {
    let (verifier, _, _) = verifier(dns: ["did=\(alice)", "did=\(alice)"])
    #expect(try await verifier.proof(of: #require(handle), asking: .firstAnswer).owner.get() == alice)
  }

  @Test func isAmbiguousIfDNSAndWebServerDiffer() async throws {
    let (verifier, _, _) = verifier(dns: ["did=\(alice)"], web: page("\(bob)"))
    let proof = try await verifier.proof(of: #require(handle), asking: .all)
    #expect(fault(proof)?.code == .ambiguous)
    #expect(proof.sources(naming: alice) == [.dns] && proof.sources(naming: bob) == [.https])
  }

  @Test(arguments: [
    "", "did:plc", "not a did", "did:key:zabc", "<html>", "did:plc:ewvi7nxzyoun6zhxrhs64oiz x",
  ])
  func takesNoPageForAnAccount(text: String) async throws {
    let (verifier, _, _) = verifier(web: page(text))
    let proof = try await verifier.proof(of: #require(handle), asking: .firstAnswer)
    #expect(fault(proof)?.code == .notFound)
  }

  @Test(arguments: ["did=", "did=x", "did=did:key:zabc", "DID=did:plc:ewvi7nxzyoun6zhxrhs64oiz"])
  func takesNoOtherRecordForAnAccount(text: String) async throws {
    let (verifier, _, _) = verifier(dns: [text])
    let proof = try await verifier.proof(of: #require(handle), asking: .firstAnswer)
    #expect(fault(proof)?.code == .notFound)
  }

  @Test func doesNotTakeAFailureForAnAbsence() async throws {
    let broken = ScriptedTextRecords { throw TransportError(.timedOut, host: $0) }
    let (verifier, _, _) = verifier(broken, ScriptedTransport { _ in TransportResponse(status: 404) })
    let proof = try await verifier.proof(of: #require(handle), asking: .firstAnswer)
    #expect(fault(proof)?.code == .unavailable)
  }

  @Test(arguments: [(503, 2), (404, 1), (429, 1)]) func asksAFailingWebServerTwice(
    status: Int, calls: Int
  )
    async throws
  {
    let (verifier, _, transport) = verifier(web: TransportResponse(status: status))
    _ = try await verifier.proof(of: #require(handle), asking: .all)
    #expect(transport.requests.count == calls)
  }

  @Test func theSecondAttemptHasTheRestOfTheTimeLimit() async throws {
    let clock = ManualClock()
    let transport = ScriptedTransport { _ in
      clock.advance(by: .seconds(3))
      return TransportResponse(status: 503)
    }
    let verifier = HandleVerifier(
      texts: nil, transport: transport, named: TrustedHosts([]), time: clock.timeSource())
    _ = try await verifier.proof(of: #require(handle), asking: .firstAnswer)
    #expect(transport.requests.map(\.limits.total) == [.seconds(5), .seconds(2)])
  }

  /// A host that redirects without end, or has a large page at this path, does not use it for a handle.
  @Test(arguments: [
    (TransportError.Code.responseTooLarge, IdentityError.Code.notFound),
    (.tooManyRedirects, .notFound), (.forbiddenAddress, .notFound), (.tlsFailure, .unavailable),
  ])
  func someFailuresOfTheWebServerAreConclusive(
    failure: TransportError.Code, code: IdentityError.Code
  ) async throws {
    let (verifier, _, _) = verifier(
      ScriptedTextRecords([:]),
      ScriptedTransport { _ in throw TransportError(failure, host: "alice.example.com") })
    let proof = try await verifier.proof(of: #require(handle), asking: .firstAnswer)
    #expect(fault(proof)?.code == code)
  }

  @Test(
    arguments: ["alice.test", "a.local", "a.b.internal", "a.localhost", "a.lan", "a.home.arpa", "a.onion"])
  func doesNotAskForNamesOfPrivateNetworks(name: String) async throws {
    let (verifier, texts, transport) = verifier()
    let proof = try await verifier.proof(of: #require(Handle(name)), asking: .all)
    #expect(fault(proof)?.isConclusive == false)
    #expect(texts.names.isEmpty && transport.requests.isEmpty)
  }

  @Test func asksTheResolverForNamesOfPrivateNetworks() async throws {
    let resolver = ServiceURL("http://127.0.0.1:8700")
    let (verifier, texts, transport) = verifier(
      web: TransportResponse(#"{"did":"\#(alice)"}"#), resolver: resolver)
    let proof = try await verifier.proof(of: #require(Handle("alice.test")), asking: .all)
    #expect(try proof.owner.get() == alice)
    #expect(proof.sources(naming: alice) == [.resolver])
    #expect(texts.names.isEmpty)
    #expect(transport.requests.map(\.head.authority) == ["127.0.0.1:8700"])
  }

  /// A forgotten variable, with another program on its port, must not affect the public network.
  @Test func aResolverDoesNotOverrideWhatTheDomainSays() async throws {
    let resolver = ServiceURL("http://127.0.0.1:8700")
    let (verifier, _, transport) = verifier(dns: ["did=\(alice)"], resolver: resolver)
    #expect(try await verifier.proof(of: #require(handle), asking: .firstAnswer).owner.get() == alice)
    #expect(transport.calls(of: "com.atproto.identity.resolveHandle") == 0)
  }
}
