// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithSandbox
import SandboxSupport
import TestSupport
import Testing

/// Identities of a served network.
@Suite struct ResolveIdentitiesTests {
  private func resolve(
    _ names: [String], by user: ServedUser
  ) async throws -> OperationRun<ResolveIdentities> {
    try await user.run(ResolveIdentities(TargetStream(origins: names.map { .argument($0) })))
  }

  @Test func aHundredAccountsTakeTheFewestCallsAndKeepTheirOrder() async throws {
    let network = FaultyNetwork()
    let reader = try await ServedUser(nil, on: network)
    let accounts = network.accounts.accounts.filter { $0.status == .active }.prefix(100)
    try #require(accounts.count == 100)
    // Alternating handles and DIDs: for DIDs, the claimed handles are resolved too.
    let names = accounts.enumerated().map { $0 % 2 == 0 ? "\($1.handle)" : "\($1.did)" }
    let run = try await resolve(names, by: reader)
    #expect(run.rows.map(\.input) == names && run.notes.isEmpty)
    let found = try run.rows.map { try $0.outcome.get() }
    #expect(found.map(\.did) == accounts.map(\.did))
    #expect(found.map(\.handle) == accounts.map { Optional($0.handle) })
    #expect(
      found.allSatisfy {
        $0.handleIsProven == true && $0.contradictedBy.isEmpty && $0.verifiedBy == [.appview, .resolver]
      })
    var calls = run.calls
    let proofs = calls.removeValue(forKey: "com.atproto.identity.resolveHandle") ?? 0
    #expect(calls == ["app.bsky.actor.getProfiles": 4, "did document": 100] && proofs >= 100)
  }

  @Test func aMissingAccountIsAFailureOfItsOwn() async throws {
    let reader = try await ServedUser(nil, on: FaultyNetwork(accounts: 14))
    for fault in [Fault.none, .appViewDown] {
      // Without the AppView, the handle resolves elsewhere.
      reader.network.begin(fault)
      let run = try await resolve(["bob.test", "nobody.test"], by: reader)
      let found = run.rows.map { try? $0.outcome.get().handle?.description }
      #expect(found == ["bob.test", nil] && run.outcome.failures.kind == nil)
      #expect(run.outcome.missing?.code == .notFound && run.outcome.missing?.subject == "nobody.test")
    }
    let invalid = try await resolve(["x y", "bob.test", "did:key:zabc"], by: reader)
    #expect(invalid.rows.map { (try? $0.outcome.get()) != nil } == [false, true, false])
    #expect(invalid.outcome.failures.kind == .invalidInput && invalid.outcome.missing == nil)
  }
}
