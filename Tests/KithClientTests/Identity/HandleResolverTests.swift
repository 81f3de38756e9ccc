// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@Suite struct HandleResolverTests {
  private func resolver(_ transport: ScriptedTransport) throws -> HandleResolver {
    HandleResolver(
      client: XRPCClient(
        service: try ServiceURL(parsing: "https://appview.test"), transport: transport,
        configuration: XRPCClient.Configuration(retry: .never), time: ManualClock(.skipping).timeSource()))
  }

  private func code(_ outcome: Result<DID, IdentityError>?) -> IdentityError.Code? {
    if case .failure(let error) = outcome { error.code } else { nil }
  }

  @Test func asksForTwentyFiveInOneCall() async throws {
    let appview = AppViewDouble(accounts: 25)
    let transport = ScriptedTransport { appview.answer($0) }
    let outcomes = try await resolver(transport).dids(of: Accounts.handles(0..<25))
    #expect(transport.requests.count == 1)
    #expect(RequestQuery(transport.requests[0])["actors"] == Accounts.handles(0..<25).map(\.description))
    for number in 0..<25 {
      #expect(try outcomes[Accounts.handle(number)]?.get() == Accounts.did(number))
    }
  }

  /// Q14.
  @Test func asksOneByOneForHandlesThatTheBatchLeavesOut() async throws {
    let appview = AppViewDouble(accounts: 3)
    appview.change { $0.unlisted = [Accounts.handle(1)] }
    let transport = ScriptedTransport { appview.answer($0) }
    let outcomes = try await resolver(transport).dids(of: Accounts.handles(0..<4))
    #expect(try (0..<3).map { try outcomes[Accounts.handle($0)]?.get() } == Accounts.dids(0..<3))
    #expect(code(outcomes[Accounts.handle(3)]) == .notFound)
    #expect(transport.calls(of: "app.bsky.actor.getProfiles") == 1)
    #expect(transport.calls(of: "com.atproto.identity.resolveHandle") == 2)
  }

  @Test func ignoresAccountsThatItDidNotAskFor() async throws {
    let transport = ScriptedTransport { request in
      RequestQuery(request).method == "app.bsky.actor.getProfiles"
        ? TransportResponse(
          #"{"profiles":[{"did":"\#(Accounts.did(66))","handle":"user6.test"},{"did":"\#(Accounts.did(1))","handle":"USER1.test"}]}"#
        )
        : .xrpcError(400, "InvalidRequest", "Unable to resolve handle")
    }
    let outcomes = try await resolver(transport).dids(of: Accounts.handles(1..<3))
    #expect(Set(outcomes.keys) == Set(Accounts.handles(1..<3)))
    #expect(try outcomes[Accounts.handle(1)]?.get() == Accounts.did(1))
  }

  @Test func asksEachAloneWhenOneSpoilsTheBatch() async throws {
    for spoiled in [
      TransportResponse.xrpcError(400, "InvalidRequest", "Error: actors[1] must be a valid handle"),
      TransportResponse(#"{"profiles":[{"did":"\#(Accounts.did(0))","handle":"no handle at all"}]}"#),
    ] {
      let appview = AppViewDouble(accounts: 2)
      let transport = ScriptedTransport {
        RequestQuery($0).method == "app.bsky.actor.getProfiles" ? spoiled : appview.answer($0)
      }
      let outcomes = try await resolver(transport).dids(of: Accounts.handles(0..<3))
      #expect(try outcomes[Accounts.handle(0)]?.get() == Accounts.did(0))
      #expect(try outcomes[Accounts.handle(1)]?.get() == Accounts.did(1))
      #expect(code(outcomes[Accounts.handle(2)]) == .notFound)
    }
  }

  @Test func oneFailingHandleDoesNotAffectTheOthers() async throws {
    let appview = AppViewDouble(accounts: 4)
    appview.change { $0.unlisted = Set(Accounts.handles(1..<3)) }
    let transport = ScriptedTransport { request in
      RequestQuery(request)["handle"] == ["user1.test"]
        ? TransportResponse(status: 502) : appview.answer(request)
    }
    let outcomes = try await resolver(transport).dids(of: Accounts.handles(0..<4))
    #expect(code(outcomes[Accounts.handle(1)]) == .unavailable)
    #expect(try [0, 2, 3].map { try outcomes[Accounts.handle($0)]?.get() } == [0, 2, 3].map(Accounts.did))
  }

  /// Unknown is not "no": none of these says that the handle does not exist.
  @Test(arguments: [
    TransportResponse.xrpcError(401, "AuthMissing", "Authentication Required"),
    .xrpcError(403, "Forbidden", "no"), .xrpcError(501, "MethodNotImplemented", "Method Not Implemented"),
    TransportResponse(status: 404, "404 page not found", type: "text/plain"), TransportResponse(status: 301),
    TransportResponse(status: 500),
  ]) func learnsNothingFromAServiceThatRefusesToTalk(refusal: TransportResponse) async throws {
    let transport = ScriptedTransport { _ in refusal }
    let outcomes = try await resolver(transport).dids(of: Accounts.handles(0..<2))
    #expect(Accounts.handles(0..<2).map { code(outcomes[$0]) } == [.unavailable, .unavailable])
  }

  @Test func namesEachHandleInItsFailure() async throws {
    let transport = ScriptedTransport { _ in throw TransportError(.tlsFailure, host: "appview.test") }
    let outcomes = try await resolver(transport).dids(of: Accounts.handles(0..<2))
    for handle in Accounts.handles(0..<2) {
      guard case .failure(let error) = outcomes[handle] else {
        Issue.record("\(handle) has no failure")
        continue
      }
      #expect(error.subject == handle.description)
      #expect("\(error)".contains("TLS"))
    }
    #expect(transport.requests.count == 1)
  }

  @Test func passesACancellationOn() async throws {
    let transport = ScriptedTransport(turnstile: Turnstile(isOpen: false)) { _ in TransportResponse() }
    let resolver = try resolver(transport)
    let task = Task { try await resolver.dids(of: Accounts.handles(0..<2)) }
    await transport.turnstile.untilArrived(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  /// The circuit breaker: one call uses up its retries, the other handles cost nothing.
  @Test func stopsAskingADeadService() async throws {
    let clock = ManualClock(.skipping)
    let transport = ScriptedTransport { request in
      RequestQuery(request).method == "app.bsky.actor.getProfiles"
        ? .xrpcError(400, "InvalidRequest", "Error: actors[1] must be a valid handle")
        : TransportResponse(status: 503)
    }
    let resolver = HandleResolver(
      client: XRPCClient(
        service: try ServiceURL(parsing: "https://appview.test"), transport: transport,
        configuration: XRPCClient.Configuration(random: { 0 }), time: clock.timeSource()))
    let outcomes = try await resolver.dids(of: Accounts.handles(0..<25))
    #expect(Accounts.handles(0..<25).allSatisfy { code(outcomes[$0]) == .unavailable })
    // The batch, one handle with all its retries, and one more, because the first may be a request that fails
    // the host.
    #expect(transport.requests.count == 1 + 16 + 6)
  }
}
