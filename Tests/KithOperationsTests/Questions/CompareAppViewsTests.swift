// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import KithCore
import KithOperations
import KithRelationships
import SandboxSupport
import TestSupport
import Testing

/// Where two AppViews of a served network disagree.
@Suite struct CompareAppViewsTests {
  private static let network = FaultyNetwork(accounts: 60)

  /// Accounts that one of the cast follows.
  private func follows(of name: String) throws -> Set<DID> {
    let records = Self.network.records(
      of: try Self.network.did(name), in: try NSID(parsing: "app.bsky.graph.follow"))
    return Set(records.compactMap { $0.value["subject"]?.string.flatMap { DID($0) } })
  }

  private func compare(
    _ targets: [String] = [], listings: [ListingQuery] = [], silent: String? = nil,
    _ edits: [String: DisagreeingNetwork.Edit]
  ) async throws -> OperationRun<CompareAppViews> {
    let reader = try await ServedUser(nil, on: Self.network)
    let comparison = CompareAppViews(
      of: .did(try reader.did("alice")), with: try ServiceURL(parsing: DisagreeingNetwork.other),
      about: .accounts(TargetStream(origins: targets.map { .argument($0) }), listings))
    return try await reader.run(
      comparison, over: DisagreeingNetwork(Self.network, silent: silent, edits: edits))
  }

  private func counts(_ outcome: CompareAppViews.Outcome) -> [String: Int] {
    [
      "firstIsRight": outcome.firstIsRight, "otherIsRight": outcome.otherIsRight,
      "unsettled": outcome.unsettled, "unresolved": outcome.unresolved, "failed": outcome.failed,
    ].filter { $0.value > 0 }
  }

  /// An AppView that does not know an account, which may be for weeks.
  private struct Stranger: HTTPTransport {
    let base: FaultyNetwork
    let hosts: Set<String>
    /// Whether it does not list its followers either.
    let methods: Set<String>

    var capabilities: TransportCapabilities { base.capabilities }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      let query = RequestQuery(request)
      let method = query.method.split(separator: ".").last.map(String.init) ?? ""
      guard hosts.contains("https://\(request.head.authority ?? "")"), methods.contains(method) else {
        return try await base.send(request)
      }
      guard method == "getRelationships" else { return .xrpcError(400, "InvalidRequest", "Actor not found") }
      let rows = query["others"].map {
        #"{"$type":"app.bsky.graph.defs#notFoundActor","actor":"\#($0)","notFound":true}"#
      }
      return TransportResponse(#"{"relationships":[\#(rows.joined(separator: ","))]}"#)
    }
  }

  @Test(arguments: [["getFollowers"], ["getRelationships"], ["getFollowers", "getRelationships"]])
  func anAppViewThatDoesNotKnowTheAccountIsNamed(methods: Set<String>) async throws {
    let reader = try await ServedUser(nil, on: Self.network)
    let other = DisagreeingNetwork.other
    let comparison = CompareAppViews(
      of: .did(try reader.did("alice")), with: try ServiceURL(parsing: other), about: .graph)
    let usual = try await reader.run(comparison)
    let run = try await reader.run(
      comparison, over: Stranger(base: Self.network, hosts: [other], methods: methods))
    #expect(run.outcome.rows.interruption == nil && run.outcome.compared == usual.outcome.compared)
    #expect(
      run.outcome.strangers.map(\.subject) == [other] && run.outcome.strangers.first?.kind == .unavailable)
    // What it does not show, the other one shows alone, and the repositories settle it.
    #expect(methods.contains("getRelationships") == (run.outcome.firstIsRight > usual.outcome.firstIsRight))
  }

  @Test func theUsualAppViewMayBeTheOneThatDoesNotKnowTheAccount() async throws {
    let reader = try await ServedUser(nil, on: Self.network)
    let (usual, other) = (FaultyNetwork.appview, DisagreeingNetwork.other)
    func run(
      _ targets: CompareAppViews.Targets, unknownTo hosts: Set<String>
    ) async throws -> OperationRun<CompareAppViews> {
      let comparison = CompareAppViews(
        of: .did(try reader.did("alice")), with: try ServiceURL(parsing: other), about: targets)
      return try await reader.run(
        comparison, over: Stranger(base: Self.network, hosts: hosts, methods: ["getRelationships"]))
    }
    let graph = try await run(.graph, unknownTo: [usual])
    #expect(graph.outcome.rows.interruption == nil && graph.outcome.strangers.map(\.subject) == [usual])
    #expect(!graph.rows.isEmpty && graph.rows.allSatisfy(\.isShownByOther))
    #expect(graph.outcome.otherIsRight > 0 && graph.outcome.firstIsRight == 0)
    let names = ["bob.test", "nobody.test"].map { TargetStream.Origin.argument($0) }
    let named = try await run(.accounts(TargetStream(origins: names), []), unknownTo: [usual])
    #expect(named.outcome.compared == 1 && named.outcome.unresolved == 1 && !named.rows.isEmpty)
    let neither = try await run(.graph, unknownTo: [usual, other])
    #expect(neither.outcome.rows.interruption == nil && neither.rows.isEmpty && neither.outcome.compared == 0)
    #expect(neither.outcome.strangers.map(\.subject) == [usual, other])
  }

  @Test func theRepositorySaysWhichAppViewIsRight() async throws {
    let (alice, bob) = (try Self.network.did("alice"), try Self.network.did("bob"))
    let followed = try #require(try follows(of: "alice").sorted { "\($0)" < "\($1)" }.first)
    let stranger = try #require(
      try ["niaj", "judy", "ivan", "grace"].lazy.map { name in (name, try Self.network.did(name)) }
        .first { name, _ in !(try follows(of: name).contains(alice)) }?.1)
    #expect(try follows(of: "bob").contains(alice))
    let run = try await compare(
      ["\(followed)", "\(stranger)", "bob.test", "\(alice)"],
      [
        FaultyNetwork.appview: { row in if row["did"]?.string == "\(bob)" { row["followedBy"] = nil } },
        DisagreeingNetwork.other: { row in
          if row["did"]?.string == "\(followed)" { row["following"] = nil }
          if row["did"]?.string == "\(stranger)" {
            row["followedBy"] = .string("at://\(stranger)/app.bsky.graph.follow/3k2yihcrp6f2c")
          }
        },
      ])
    let rows = run.rows.map { row in
      "\(row.view.account) \(row.relation) \(row.shownBy) \(row.repository.map { "\($0)" } ?? "unknown")"
    }
    #expect(
      Set(rows) == [
        "\(followed) following \(FaultyNetwork.appview) true",
        "\(stranger) followedBy \(DisagreeingNetwork.other) false",
        "\(bob) followedBy \(DisagreeingNetwork.other) true",
      ])
    #expect(counts(run.outcome) == ["firstIsRight": 2, "otherIsRight": 1])
  }

  /// An AppView that has not seen that a follow was made again still names the former record.
  /// Keeps the first call of some methods back until the other AppView is called, too.
  private struct Meeting: HTTPTransport {
    private struct State {
      var hosts: Set<String> = []
      var waiting: [CheckedContinuation<Void, Never>] = []
    }

    let base: FaultyNetwork
    private let states = PosixMutex<[String: State]>([:])

    init(base: FaultyNetwork) { self.base = base }

    var capabilities: TransportCapabilities { base.capabilities }

    private func meet(_ host: String, calling method: String) async {
      await withCheckedContinuation { continuation in
        let met = states.withLock { states -> [CheckedContinuation<Void, Never>] in
          var state = states[method] ?? State()
          state.hosts.insert(host)
          state.waiting.append(continuation)
          defer { states[method] = state }
          guard state.hosts.count == 2 else { return [] }
          defer { state.waiting = [] }
          return state.waiting
        }
        for waiting in met { waiting.resume() }
      }
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      let method = RequestQuery(request).method
      if CompareAppViewsTests.both.contains(method) {
        await meet(request.head.authority ?? "", calling: method)
      }
      return try await base.send(request)
    }
  }

  private static let both = ["app.bsky.graph.getRelationships", "app.bsky.graph.getFollowers"]

  /// One after the other would wait without an end.
  @Test(.timeLimit(.minutes(1))) func theAppViewsAreAskedAtOnce() async throws {
    let reader = try await ServedUser(nil, on: FaultyNetwork(accounts: 14))
    let comparison = CompareAppViews(
      of: .did(try reader.did("alice")), with: try ServiceURL(parsing: DisagreeingNetwork.other),
      about: .graph)
    let run = try await reader.run(comparison, over: Meeting(base: reader.network))
    #expect(run.outcome.rows.interruption == nil && run.outcome.compared > 0)
    // A clock that skips the wait for more targets may part a batch.
    #expect(run.calls["app.bsky.graph.getRelationships", default: 0] >= 2)
  }

  @Test func anEdgeThatWasMadeAgainIsFound() async throws {
    let bob = try Self.network.did("bob")
    let former = DataValue.string("at://\(bob)/app.bsky.graph.follow/3k2yihcrp6f2c")
    let run = try await compare(
      ["\(bob)"],
      [
        FaultyNetwork.appview: { row in if row["did"]?.string == "\(bob)" { row["followedBy"] = former } },
        DisagreeingNetwork.other: { row in if row["did"]?.string == "\(bob)" { row["followedBy"] = nil } },
      ])
    #expect(run.rows.map(\.repository) == [true])
  }

  @Test func theOwnGraphIsCompared() async throws {
    let alice = try await ServedUser(on: Self.network)
    let comparison = CompareAppViews(
      of: try alice.actor("alice"), with: try ServiceURL(parsing: DisagreeingNetwork.other), about: .graph)
    let outdated = DisagreeingNetwork(
      Self.network, edits: [DisagreeingNetwork.other: { row in row["following"] = nil }])
    let run = try await alice.run(comparison, over: outdated)
    let shown = Set(run.rows.map(\.view.account))
    let followed = try follows(of: "alice")
    #expect(!shown.isEmpty && shown.isSubset(of: followed))
    #expect(run.rows.allSatisfy { $0.repository == true && $0.relation == "following" })
    #expect(try await alice.run(comparison, over: DisagreeingNetwork(Self.network)).rows.isEmpty)
  }

  @Test func aListingIsComparedWhole() async throws {
    let followers = ListingQuery.followers(of: .did(try Self.network.did("alice")), in: .bluesky)
    let run = try await compare(
      listings: [followers], [DisagreeingNetwork.other: { row in row["followedBy"] = nil }])
    #expect(!run.rows.isEmpty && run.outcome.rows.interruption == nil)
    #expect(run.rows.allSatisfy { $0.relation == "followedBy" && $0.repository == true })
  }

  /// Lists, and repositories that do not answer, settle nothing.
  @Test func notEverythingIsSettled() async throws {
    let bob = try Self.network.did("bob")
    let list = DataValue.string("at://\(try Self.network.did("grace"))/app.bsky.graph.list/3k2yihcrp6f2c")
    let byList = try await compare(
      ["bob.test"], [DisagreeingNetwork.other: { row in row["blockedByList"] = list }])
    #expect(byList.rows.map(\.relation) == ["blockedByList"] && byList.rows.map(\.repository) == [nil])
    #expect(counts(byList.outcome) == ["unsettled": 1])
    let unread = try await compare(
      ["bob.test"], silent: FaultyNetwork.pds,
      [DisagreeingNetwork.other: { row in if row["did"]?.string == "\(bob)" { row["followedBy"] = nil } }])
    #expect(unread.rows.map(\.repository) == [nil] && unread.rows.first?.error != nil)
  }

  @Test func whatIsNotComparedIsCounted() async throws {
    let silent = try await compare(["bob.test", "carol.test"], silent: DisagreeingNetwork.other, [:])
    #expect(silent.rows.isEmpty && counts(silent.outcome) == ["failed": 2])
    #expect(silent.outcome.fault?.appview == (try ServiceURL(parsing: DisagreeingNetwork.other)))
    let unknown = try await compare(["bob.test", "nobody.test"], [:])
    #expect(unknown.outcome.firstUnresolved?.name == "nobody.test" && unknown.outcome.compared == 1)
    let reader = try await ServedUser(nil, on: Self.network)
    let same = CompareAppViews(
      of: .did(try reader.did("alice")), with: try ServiceURL(parsing: FaultyNetwork.appview), about: .graph)
    let error = await #expect(throws: OperationError.self) { try await reader.run(same) }
    #expect(error?.code == .sameAppView)
  }
}
