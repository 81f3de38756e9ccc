// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import KithCore
import KithCurlTransport
import KithLexicons
import KithRelationships
import KithWriting
import TestSupport
import Testing

/// Changes to a real repository, by an account that no other test uses.
@Suite(
  .serialized, .enabled(if: LiveNetwork.isUp, "no network is up; make test-network starts one"),
  .timeLimit(.minutes(2)))
struct ChangingTests {
  private typealias Graph = App.Bsky.Graph

  /// A token that lasts as long as the test.
  private struct Token: CredentialSource {
    let service: ServiceURL
    let secret: SessionToken
    func token() async throws -> SessionToken { secret }
    func token(after refused: SessionToken, isExpired: Bool) async throws -> SessionToken { secret }
  }

  /// Loses the answers to every other commit after it was sent.
  private final class ForgetfulTransport: HTTPTransport {
    private let transport: CurlTransport
    private let commits = PosixMutex(0)

    init(_ transport: CurlTransport) { self.transport = transport }

    var capabilities: TransportCapabilities { transport.capabilities.subtracting(.backpressure) }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      let response = try await transport.send(request)
      guard request.head.path?.contains("applyWrites") == true else { return response }
      let number = commits.withLock { commits -> Int in
        commits += 1
        return commits
      }
      if number.isMultiple(of: 2) { return response }
      throw TransportError(.connectionLost, host: request.head.authority ?? "")
    }
  }

  private func signedIn(
    _ network: LiveNetwork, over transport: any HTTPTransport
  ) async throws -> (account: DID, client: XRPCClient) {
    typealias SignIn = Com.Atproto.Server.CreateSession
    let account = try network.account("niaj")
    var client = XRPCClient(service: network.pds.url, transport: transport)
    let session = try await client.call(
      SignIn.self, NoParameters(),
      input: SignIn.Input(identifier: account.handle.description, password: account.password))
    client = client.signed(
      by: Token(service: network.pds.url, secret: try #require(SessionToken(session.accessJwt))))
    return (account.did, client)
  }

  private func follows(of account: DID, _ client: XRPCClient) async throws -> OwnEdges {
    try await OwnEdges(.follow, of: account, client: client)
  }

  /// Waits until the AppView has indexed everything that the account did: it indexes a repository in the
  /// order of its commits, so a marker that is written now comes after the rest.
  private func untilIndexed(
    _ writer: RelationshipWriter, of account: DID, marking mark: DID, _ appview: XRPCClient
  ) async throws {
    let source = AppViewRelationshipSource(client: appview)
    for (intent, isWanted) in [(ChangeIntent.follow(mark), true), (.unfollow(mark), false)] {
      #expect(try await writer.make(intent).ending == .done)
      try await eventually {
        guard case .known(let info)? = try await source.relationships(of: account, with: [mark]).first else {
          return false
        }
        return info.isFollowing == isWanted
      }
    }
  }

  private func someAccounts(_ count: Int, from first: Int) -> [DID] { Accounts.dids(first..<first + count) }

  @Test func showsFollowsAndBlocksBeforeTheAppViewDoes() async throws {
    let network = try await LiveNetwork.populated().network
    let transport = CurlTransport()
    defer { transport.close() }
    let (account, client) = try await signedIn(network, over: transport)
    let appview = XRPCClient(service: network.appview.url, transport: transport)
    let service = FollowRelationshipService(client: appview)
    let time = TimeSource.system
    let own = OwnRecords(of: account, client: client)
    let writer = RelationshipWriter(
      repository: PDSRepository(account: account, pds: client, records: own),
      facts: FactLoader(
        account: account, pds: client, appview: appview, records: own), relationships: service,
      keys: TIDClock(clockID: 5) { time.instant })
    let mallory = try network.did("mallory")

    #expect(try await writer.follow(mallory).ending == .done)
    #expect(try await service.isFollowing(actor: account, target: mallory))
    let record = try #require(try await follows(of: account, client)[mallory].first)
    let shown = try await service.getRelationship(actor: account, target: mallory)
    #expect(shown.following?.recordKey == record.rkey)
    // The AppView finds the very record that was shown.
    let source = AppViewRelationshipSource(client: appview)
    var indexed: RelationshipFinding?
    try await eventually {
      indexed = try await source.relationships(of: account, with: [mallory]).first
      return if case .known(let info)? = indexed { info.isFollowing } else { false }
    }
    guard case .known(let info)? = indexed else {
      Issue.record("the AppView shows no relationship: \(String(describing: indexed))")
      return
    }
    #expect(info.following == shown.following)

    // A second record for the same subject, as another app may write it (Q16).
    let session = try await PDSSession(network.account("niaj"), at: network.pds.url, transport: transport)
    _ = try await session.createRecord(in: "app.bsky.graph.follow", ["subject": "\(mallory)"])
    let fresh = RelationshipWriter(
      repository: PDSRepository(account: account, pds: client, records: own),
      facts: FactLoader(
        account: account, pds: client, appview: appview, records: own),
      keys: TIDClock(clockID: 6) { time.instant })
    #expect(try await fresh.block(mallory).ending == .done)
    #expect(try await follows(of: account, client)[mallory].isEmpty)
    #expect(try await OwnEdges(.block, of: account, client: client)[mallory].count == 1)
    #expect(try await fresh.unblock(mallory).ending == .done)
    #expect(try await OwnEdges(.block, of: account, client: client)[mallory].isEmpty)
  }

  @Test func profileCountsMoveOnceAndBeforeTheAppView() async throws {
    let network = try await LiveNetwork.populated().network
    let transport = CurlTransport()
    defer { transport.close() }
    let (account, client) = try await signedIn(network, over: transport)
    let appview = XRPCClient(service: network.appview.url, transport: transport)
    let peggy = try network.did("peggy")
    let plain = RelationshipWriter(account: account, pds: client)
    try await untilIndexed(plain, of: account, marking: peggy, appview)
    let profiles = ProfileService(account: account, client: client)
    let writer = RelationshipWriter(account: account, pds: client, profiles: profiles)
    let mallory = try network.did("mallory")
    func counts() async throws -> [Int?] {
      let both = try await profiles.profiles(of: [account, mallory])
      return [both[account]?.followsCount, both[mallory]?.followersCount]
    }
    let before = try await counts().compactMap(\.self)
    try #require(before.count == 2)

    for (intent, moved) in [(ChangeIntent.follow(mallory), 1), (.unfollow(mallory), 0)] {
      #expect(try await writer.make(intent).ending == .done)
      #expect(try await counts() == before.map { $0 + moved })
      // Whatever the AppView returns meanwhile, until it returns what was done.
      var indexed: App.Bsky.Actor.Defs.ProfileViewDetailed?
      repeat {
        profiles.clearCache()
        #expect(try await counts() == before.map { $0 + moved })
        typealias Method = App.Bsky.Actor.GetProfile
        indexed = try await client.query(Method.self, Method.Parameters(actor: .did(mallory)))
      } while indexed?.followersCount != before[1] + moved && !Task.isCancelled
      profiles.clearCache()
      #expect(try await counts() == before.map { $0 + moved })
    }
  }

  /// Every other answer is lost after the commit took effect: each record exists once.
  @Test func writesEachRecordOnceThoughAnswersAreLost() async throws {
    let network = try await LiveNetwork.populated().network
    let transport = CurlTransport()
    defer { transport.close() }
    let (account, client) = try await signedIn(network, over: ForgetfulTransport(transport))
    let appview = XRPCClient(service: network.appview.url, transport: transport)
    let own = OwnRecords(of: account, client: client)
    let writer = RelationshipWriter(
      repository: PDSRepository(account: account, pds: client, records: own),
      facts: FactLoader(
        account: account, pds: client, appview: appview, records: own),
      keys: TIDClock(clockID: 7) { TimeSource.system.instant })
    let others = someAccounts(12, from: 20_000)
    for other in others { #expect(try await writer.follow(other).ending == .done) }
    let written = try await follows(of: account, client)
    #expect(others.map { written[$0].count } == others.map { _ in 1 })
    for other in others { #expect(try await writer.unfollow(other).ending == .done) }
    let left = try await follows(of: account, client)
    #expect(others.allSatisfy { left[$0].isEmpty })
  }

  /// Pages of this PDS overlap, and it refuses commits that delete missing records.
  @Test func listsAndDeletesHundredsOfRecordsWithSomeMissing() async throws {
    let network = try await LiveNetwork.populated().network
    let transport = CurlTransport()
    defer { transport.close() }
    let (account, client) = try await signedIn(network, over: transport)
    let repository = PDSRepository(account: account, pds: client)
    let time = TimeSource.system
    let planner = ChangePlanner(
      account: account, keys: TIDClock(clockID: 8) { time.instant }, time: time)
    let others = someAccounts(201, from: 10_000)
    let writes = planner.plan(others.map(ChangeIntent.follow)) { _ in SubjectFacts.knowing(follows: []) }
      .flatMap(\.steps).flatMap { step -> [RecordWrite] in
        if case .write(let writes) = step.action { writes } else { [] }
      }
    try await repository.commit(Array(writes.prefix(200)))
    try await repository.commit(Array(writes.suffix(1)))
    #expect(try await repository.resolveInDoubt(writes))
    let listed = try await follows(of: account, client)
    #expect(listed.count == 201)
    #expect(others.allSatisfy { listed[$0].count == 1 })
    let removals = writes.map {
      RecordWrite(collection: $0.collection, rkey: $0.rkey, action: .delete(former: nil))
    }
    try await repository.commit(Array(removals.prefix(3)))
    // Three of these are gone already.
    try await repository.commit(Array(removals.prefix(100)))
    #expect(try await repository.resolveInDoubt(Array(removals.prefix(100))))
    #expect(try await !repository.resolveInDoubt(removals))
    try await repository.commit(Array(removals.suffix(101)))
    #expect(try await follows(of: account, client).count == 0)
  }
}
