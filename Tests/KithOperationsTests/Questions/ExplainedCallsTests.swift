// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithRelationships
import KithSandbox
import SandboxSupport
import TestSupport
import Testing

/// Compares what operations say that they cost with the calls that they make afterwards.
@Suite struct ExplainedCallsTests {
  private static let network = FaultyNetwork(accounts: 1_100)

  /// A check and the calls that it makes beside those in its plan.
  private struct Shape: CustomTestStringConvertible {
    var actor: String
    /// Targets that are arguments: their handles are known beforehand.
    var arguments: [String] = []
    var file: [String] = []
    var verifies = false
    var concurrency = 8
    /// Accounts that the AppView does not show: each costs one extra call.
    var missing = 0
    /// The method of those calls.
    var missed = "com.atproto.identity.resolveHandle"

    var testDescription: String {
      "\(actor) with \(arguments.count) and \(file.count) from \(arguments.first ?? file.first ?? "")"
    }

    var check: CheckRelationships {
      get throws {
        let deciding = (arguments.count == 1 && file.isEmpty ? arguments : []) + [actor]
        let accounts = deciding.compactMap { DID($0) }
        var check = CheckRelationships(
          of: try ActorInput(parsing: actor).identifier,
          targets: TargetStream(origins: (arguments + file).map { .argument($0) }))
        check.companions = arguments.compactMap { Handle($0) }
        check.verification = verifies ? .all : accounts.isEmpty ? .off : .only(Set(accounts))
        return check
      }
    }
  }

  private func shapes() throws -> [Shape] {
    let all = Self.network.accounts.accounts
    let accounts = all.filter { $0.status == .active }
    let hidden = all.filter { $0.status != .active }.prefix(5)
    try #require(hidden.count == 5)
    let (alice, named) = (accounts[0].did.description, "alice.test")
    func dids(_ range: Range<Int>) -> [String] { range.map { accounts[$0].did.description } }
    func handles(_ range: Range<Int>) -> [String] { range.map { accounts[$0].handle.description } }
    return [
      Shape(actor: alice, arguments: dids(1..<2)), Shape(actor: alice, arguments: dids(1..<31)),
      Shape(actor: alice, arguments: dids(1..<32)), Shape(actor: alice, file: dids(1..<1_001)),
      Shape(actor: alice, file: dids(1..<1_001), concurrency: 1),
      // The actor among the targets, and duplicate targets, cost nothing.
      Shape(actor: alice, arguments: [alice]), Shape(actor: alice, arguments: dids(0..<31) + dids(0..<31)),
      Shape(actor: alice, arguments: ["x_y"] + dids(1..<3)), Shape(actor: named, arguments: dids(1..<32)),
      Shape(actor: named, arguments: [named]), Shape(actor: named, arguments: [named] + dids(1..<2)),
      Shape(actor: named, arguments: handles(1..<25)), Shape(actor: named, arguments: handles(1..<26)),
      Shape(actor: named, arguments: handles(1..<27)), Shape(actor: named, arguments: handles(1..<50)),
      Shape(actor: named, arguments: handles(1..<61)),
      Shape(actor: named, arguments: handles(1..<11), file: handles(5..<70)),
      Shape(actor: alice, arguments: handles(1..<2)), Shape(actor: alice, arguments: handles(1..<25)),
      Shape(actor: alice, arguments: handles(1..<26)), Shape(actor: alice, arguments: handles(1..<27)),
      Shape(actor: alice, file: handles(1..<61)),
      Shape(actor: alice, file: handles(1..<40) + dids(40..<80) + handles(1..<20)),
      Shape(actor: alice, file: dids(1..<1_001), verifies: true),
      Shape(actor: named, arguments: handles(1..<31), verifies: true),
      Shape(actor: alice, arguments: [alice], verifies: true),
      Shape(actor: named, arguments: ["bob.test", "handle.invalid"]),
      Shape(actor: named, arguments: ["bob.test", "nobody.test"], missing: 1),
      Shape(actor: alice, arguments: ["bob.test", "nobody.test", "none.test"], missing: 2),
      // Suspended and deactivated accounts exist, and are not shown.
      Shape(actor: named, arguments: hidden.map(\.handle.description), missing: hidden.count),
      Shape(actor: alice, arguments: hidden.map(\.did.description)),
      Shape(
        actor: alice, arguments: hidden.map(\.did.description), verifies: true, missing: hidden.count,
        missed: "app.bsky.actor.getProfile"),
    ]
  }

  @Test func aCheckMakesTheExplainedCalls() async throws {
    let reader = try await ServedUser(nil, on: Self.network)
    for shape in CaseSample.of(try shapes(), one: 3) {
      let asking = reader.workspace(concurrency: shape.concurrency)
      let plan = try await shape.check.cost(in: asking) { _ in }
      #expect(asking.meter.cost.calls == 0, "\(shape)")
      let checking = reader.workspace(concurrency: shape.concurrency)
      _ = try await shape.check.run(in: checking, Reporter(rows: { _ in }))
      var made = checking.meter.costByMethod.mapValues(\.calls)
      var expected = plan.callsByMethod.compactMapValues(\.self)
      // An actor is not looked up if one of its records was seen.
      let profiles = "app.bsky.actor.getProfiles"
      if DID(shape.actor) != nil, !shape.verifies, let most = expected[profiles],
        made[profiles, default: 0] == most - 1
      {
        made[profiles] = most
      }
      if shape.missing > 0 { expected[shape.missed] = shape.missing }
      #expect(made == expected, "\(shape)")
      #expect(plan.calls == made.values.reduce(0, +) - shape.missing, "\(shape)")
      #expect(!plan.assumptions.isEmpty && plan.steps.contains { $0.isEstimate }, "\(shape)")
    }
  }

  @Test(arguments: [SandboxPaging.refilled, .short])
  func aListingMakesAtMostTheExplainedCalls(paging: SandboxPaging) async throws {
    let network = FaultyNetwork(accounts: 1_000, paging: paging)
    let reader = try await ServedUser(nil, on: network)
    let (alice, bob) = (
      ATIdentifier.handle(try Handle(parsing: "alice.test")),
      ATIdentifier.handle(try Handle(parsing: "bob.test"))
    )
    func check(
      _ actor: ATIdentifier, _ listings: ListingQuery..., targets: [String] = [], verifies: Bool = false
    ) -> CheckRelationships {
      var check = CheckRelationships(
        of: actor, targets: TargetStream(origins: targets.map { .argument($0) }))
      check.companions = targets.compactMap { Handle($0) }
      check.listings = listings
      check.verification = verifies ? .all : .off
      return check
    }
    let followers = ListingQuery.followers(of: alice, in: .bluesky)
    let checks = [
      ("follows", check(alice, .follows(of: alice, in: .bluesky)), 8),
      ("followers", check(alice, followers), 8),
      (
        "several",
        check(bob, followers, .follows(of: bob, in: .bluesky), targets: ["carol.test"], verifies: true), 8
      ),
      ("list", check(alice, ListingQuery(.members(of: try network.list("Book people", of: "grace")))), 8),
      ("one at a time", check(alice, followers), 1),
    ]
    for (name, check, concurrency) in checks {
      let asking = reader.workspace(concurrency: concurrency)
      let plan = try await check.cost(in: asking) { _ in }
      let read = asking.meter.costByMethod.mapValues(\.calls)
      #expect(Set(read.keys).isSubset(of: ["app.bsky.actor.getProfiles", "app.bsky.graph.getList"]))
      #expect(read.values.reduce(0, +) == 1 && !plan.assumptions.isEmpty, "\(name)")
      let checking = reader.workspace(concurrency: concurrency)
      _ = try await check.run(in: checking, Reporter(rows: { _ in }))
      var excess = checking.meter.costByMethod.mapValues(\.calls)
      #expect(!excess.isEmpty, "\(name)")
      for (method, bound) in plan.callsByMethod { excess[method, default: 0] -= bound ?? 0 }
      // Each account that the AppView does not show costs one extra call, as the plan says: two of bob's follows.
      if name == "several" { excess["app.bsky.actor.getProfile", default: 0] -= 2 }
      #expect(excess.filter { $0.value > 0 } == [:], "\(name)")
    }
  }

  @Test func aMissingListingHasNoCount() async throws {
    let reader = try await ServedUser(nil, on: Self.network)
    var check = CheckRelationships(
      of: .handle(try Handle(parsing: "alice.test")), targets: TargetStream(origins: []))
    check.listings = [.followers(of: .handle(try Handle(parsing: "nobody.test")), in: .bluesky)]
    let plan = try await check.cost(in: reader.workspace()) { _ in }
    #expect(plan.calls == nil && plan.targets == nil && !plan.assumptions.isEmpty)
    let failing = FailingMethods(network: Self.network, methods: ["app.bsky.actor.getProfiles"])
    let error = await #expect(throws: RelationshipError.self) {
      try await check.cost(in: reader.workspace(over: failing)) { _ in }
    }
    #expect(error.map { FailureKind($0) } == .unavailable)
  }
}

extension CostPlan {
  /// The calls of each method; nil if their number is unknown.
  fileprivate var callsByMethod: [String: Int?] {
    steps.reduce(into: [:]) { calls, step in
      let former = calls[step.name] ?? 0
      calls[step.name] = .some(former.flatMap { sum in step.calls.map { sum + $0 } })
    }
  }
}
