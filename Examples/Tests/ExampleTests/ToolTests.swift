// SPDX-License-Identifier: Apache-2.0

import ExampleTools
import KithClient
import KithCore
import KithRelationships
import KithTestSupport
import KithWriting
import Synchronization
import Testing

/// The tools, over a network in the process.
@Suite(.timeLimit(.minutes(1))) struct ToolTests {
  private let clock = ManualClock(.skipping)
  private let sandbox: SandboxTransport

  init() { sandbox = SandboxTransport(time: clock.timeSource()) }

  private func signedIn(_ network: ServiceNetwork) async throws -> XRPCClient {
    let sessions = network.sessions(in: InMemorySessionStore())
    return sessions.client(
      of: try await sessions.signIn(.did(sandbox.alice.did), password: sandbox.alice.password))
  }

  private func count(
    _ listing: ActorListing, where predicate: String, in network: ServiceNetwork
  ) async throws -> Int {
    var accounts = Listings(network.appview).accounts(
      listing, where: try AccountPredicate(parsing: predicate, now: Datetime(at: network.time.instant))
    )
    .makeAsyncIterator()
    var count = 0
    while try await accounts.next() != nil { count += 1 }
    return count
  }

  @Test func aBotFollowsBackOnceAndThenHasNothingToDo() async throws {
    let network = ServiceNetwork.sandbox(sandbox)
    let missing = "not following and not blocking and not blocked-by"
    let (alice, followers) = (sandbox.alice.did, ActorListing.followers(of: .did(sandbox.alice.did)))
    #expect(try await count(followers, where: missing, in: network) > 0)
    let journal = Journal()
    let bot = FollowBackBot(
      alice, pds: try await signedIn(network), network: network, journal: journal, followsPerDay: 1_000)
    #expect(try await bot.round() == [.done])
    #expect(try await bot.round() == [])
    #expect(try await count(followers, where: missing, in: network) == 0)
  }

  @Test func aBotKeepsToItsFollowsADay() async throws {
    let network = ServiceNetwork.sandbox(sandbox)
    let journal = Journal()
    let bot = FollowBackBot(
      sandbox.alice.did, pds: try await signedIn(network), network: network, journal: journal,
      followsPerDay: 1)
    #expect(try await bot.round() == [.done])
    let job = try #require(try await JobManager(journal: journal).summaries().first)
    // The clock skips what has to be waited for.
    let days = job.counts.total - 1
    #expect(days > 0 && clock.now.offset >= .seconds(86_400) * days)
  }

  @Test func aCleanUpIsConfirmedAndUndone() async throws {
    let network = ServiceNetwork.sandbox(sandbox)
    let journal = Journal()
    let cleanUp = CleanUp(
      sandbox.alice.did, pds: try await signedIn(network), network: network, journal: journal)
    let requests = try await cleanUp.plan("not following and not blocking")
    try #require(!requests.isEmpty)
    struct Declined: Error {}
    await #expect(throws: Declined.self) { try await cleanUp.run(requests) { _ in throw Declined() } }
    let job = try #require(try await cleanUp.run(requests) { #expect($0.affected == requests.count) })
    let items = try await JobManager(journal: journal).items(of: job)
    #expect(items.count == requests.count)
    try await cleanUp.undo(job)
    let again = try await cleanUp.plan("not following and not blocking")
    #expect(Set(again.map(\.input)) == Set(requests.map(\.input)))
  }

  @Test func aMistakeInAPredicateIsNamed() async throws {
    let network = ServiceNetwork.sandbox(sandbox)
    let cleanUp = CleanUp(sandbox.alice.did, pds: network.appview, network: network, journal: Journal())
    let error = await #expect(throws: PredicateError.self) { try await cleanUp.plan("folowers < 5") }
    #expect(error?.position == 1)
  }

  @Test func aTransportOfOnesOwnTellsOfEachCallAndOfNoSecret() async throws {
    let log = Log()
    let transport = LoggingTransport(sandbox) { log.add($0) }
    let network = ServiceNetwork.sandbox(at: sandbox.service, transport: transport, time: sandbox.time)
    let client = try await signedIn(network)
    let service = FollowRelationshipService(client: client)
    _ = try await service.isFollowing(actor: sandbox.alice.did, target: sandbox.accounts[1].did)
    #expect(log.lines.contains { $0.hasPrefix("POST /xrpc/com.atproto.server.createSession: 200") })
    #expect(log.lines.contains { $0.hasPrefix("GET /xrpc/app.bsky.graph.getRelationships?") })
    #expect(!log.lines.joined().contains("Bearer"))
  }

  /// A server that takes no bearer token: each request needs a proof for itself, with the last nonce.
  @Test func aSessionOfOnesOwnFollowsOverProofs() async throws {
    let tokens = ServiceNetwork.sandbox(sandbox)
    let sessions = tokens.sessions(in: InMemorySessionStore())
    let session = try await sessions.signIn(.did(sandbox.alice.did), password: sandbox.alice.password)
    let server = ProofServer(sandbox, accepts: "access-token", insteadOf: session)
    let proofs = ProofSession(at: sandbox.service, accessToken: "access-token") { method, url, nonce in
      "\(method) \(url) \(nonce ?? "none")"
    }
    let network = ServiceNetwork.sandbox(at: sandbox.service, transport: server, time: sandbox.time)
    let client = network.client(of: sandbox.service).authorized(by: proofs)
    let service = FollowRelationshipService(client: client)
    let writer = RelationshipWriter(account: session.did, pds: client, relationships: service)
    let carol = try #require(sandbox.account("carol.test")).did
    let follows = try await service.isFollowing(actor: session.did, target: carol)
    try await writer.toggleFollow(carol)
    #expect(try await service.isFollowing(actor: session.did, target: carol) != follows)
    #expect(server.refused.withLock { $0 } >= 1)
    #expect(server.accepted.withLock { $0 } >= 2)
  }

  @Test func aMethodWithoutATypeIsCalledWithOnesOwn() async throws {
    let transport = ScriptedTransport(responses: [
      .json(
        #"{"feeds":[{"uri":"at://did:web:a.test/app.bsky.feed.generator/x","did":"did:web:a.test","displayName":"X"}]}"#
      )
    ])
    let client = XRPCClient(service: sandbox.service, transport: transport, time: sandbox.time)
    let output = try await client.query(GetActorFeeds.self, .init(actor: .did(sandbox.alice.did)))
    #expect(output.feeds.map(\.displayName) == ["X"])
    #expect(
      transport.requests.first?.head.path?.hasPrefix("/xrpc/app.bsky.feed.getActorFeeds?actor=did") == true)
  }
}

private final class Log: Sendable {
  private let all = Mutex<[String]>([])

  var lines: [String] { all.withLock { $0 } }

  func add(_ line: String) { all.withLock { $0.append(line) } }
}
