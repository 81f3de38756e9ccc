// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import KithCore
import KithRelationships
import KithTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct SandboxTransportTests {
  private let clock = ManualClock()

  /// A clock that stands still, so that nothing is gathered by waiting.
  @Test func answersAtOnceUnderAClockThatStandsStill() async throws {
    let sandbox = SandboxTransport(time: clock.timeSource())
    let bob = try #require(sandbox.account("bob.test"))
    let client = XRPCClient(service: sandbox.service, transport: sandbox, time: clock.timeSource())
    let service = FollowRelationshipService(client: client, cacheTTL: .seconds(60))
    #expect(try await service.getRelationship(actor: sandbox.alice.did, target: bob.did).mutual)
    #expect(sandbox.calls(of: "app.bsky.graph.getRelationships") == 1 && sandbox.calls == 1)
    #expect(clock.slept.isEmpty)
  }

  @Test func signsInAndOut() async throws {
    let sandbox = SandboxTransport(time: clock.timeSource())
    let network = ServiceNetwork.sandbox(sandbox)
    let store = InMemorySessionStore()
    let sessions = network.sessions(in: store)
    let alice = sandbox.alice
    #expect(try await network.identities.identity(of: .handle(alice.handle)).did == alice.did)
    let session = try await sessions.signIn(.handle(alice.handle), password: alice.password)
    #expect(session.did == alice.did && session.pds == sandbox.service)
    #expect(await store.accounts() == [alice.did])
    guard case .revoked = try await sessions.signOut(alice.did) else {
      Issue.record("not revoked")
      return
    }
    #expect(await store.accounts() == [])
  }

  @Test func isTheSameForTheSameSeed() {
    let networks = [1, 1, 2].map { SandboxTransport(accounts: 20, seed: $0) }
    #expect(networks[0].accounts == networks[1].accounts)
    #expect(networks[0].accounts != networks[2].accounts && networks[2].accounts.count == 20)
  }

  @Test func isBrokenByAScriptedTransport() async throws {
    let sandbox = SandboxTransport(time: clock.timeSource())
    let method = "app.bsky.graph.getRelationships"
    let transport = ScriptedTransport { request in
      if sandbox.calls(of: method) == 1 {
        throw TransportError(.forbiddenAddress, host: sandbox.service.host)
      }
      return try await sandbox.send(request)
    }
    let network = ServiceNetwork.sandbox(
      at: sandbox.service, transport: transport, time: clock.timeSource())
    let service = FollowRelationshipService(client: network.appview)
    let (alice, bob) = (sandbox.alice.did, sandbox.accounts[1].did)
    #expect(try await service.isFollowing(actor: alice, target: bob))
    await service.clearCache()
    let error = await #expect(throws: RelationshipError.self) {
      try await service.isFollowing(actor: alice, target: bob)
    }
    #expect(
      error?.code == .networkError && transport.calls(of: method) == 2 && sandbox.calls(of: method) == 1)
  }

  @Test func refusesWhatAScriptRefuses() async throws {
    let refusal = TransportResponse.xrpcError(
      429, "RateLimitExceeded", "slow down", headers: ["retry-after": "30"])
    let transport = ScriptedTransport(responses: [refusal, .json(#"{"relationships": [], "actor": 1}"#)])
    let client = XRPCClient(
      service: try ServiceURL(parsing: "https://appview.test"), transport: transport,
      configuration: .init(retry: .never), time: clock.timeSource())
    let service = FollowRelationshipService(client: client)
    let (alice, bob) = (try DID(parsing: "did:web:alice.test"), try DID(parsing: "did:web:bob.test"))
    let error = await #expect(throws: RelationshipError.self) {
      try await service.isFollowing(actor: alice, target: bob)
    }
    #expect(error?.code == .rateLimited && transport.requests.count == 1)
  }

  @Test func whatOthersDoIsStreamedAndAnswered() async throws {
    let sandbox = SandboxTransport(time: clock.timeSource())
    let (alice, stranger) = (sandbox.alice.did, sandbox.accounts[50].did)
    sandbox.unfollow(from: stranger, to: alice)
    let path = "/xrpc/network.bsky.jetstream.subscribeEvents?collections=app.bsky.graph.*&dids=\(stranger)"
    let request = TransportRequest(
      head: HTTPRequest(method: .get, scheme: "https", authority: sandbox.service.host, path: path))
    guard case .opened(let stream, _) = try await sandbox.openWebSocket(request, limits: WebSocketLimits())
    else {
      Issue.record("refused")
      return
    }
    sandbox.follow(from: stranger, to: alice)
    sandbox.unfollow(from: stranger, to: alice)
    sandbox.block(from: stranger, to: alice)
    for words in [
      #""operation":"create","collection":"app.bsky.graph.follow""#, #""operation":"delete""#, "graph.block",
    ] {
      let text = try await stream.next().map { String(decoding: $0.bytes, as: UTF8.self) }
      #expect(text?.contains(words) == true)
    }
    #expect(sandbox.calls(of: "network.bsky.jetstream.subscribeEvents") == 1)
    let client = XRPCClient(service: sandbox.service, transport: sandbox, time: clock.timeSource())
    let service = FollowRelationshipService(client: client, cacheTTL: .seconds(60))
    #expect(try await !service.isFollowing(actor: stranger, target: alice))
    await stream.close()
  }
}
