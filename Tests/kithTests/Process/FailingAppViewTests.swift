// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithSandbox
import TestSupport
import Testing

/// Changes while the AppView fails behind a healthy PDS.
@Suite struct FailingAppViewTests {
  /// The PDS answers proxied calls with 502, and its own calls normally.
  @Test func aFollowByDIDWorksWithoutTheAppView() async throws {
    let method = try #require(NSID("app.bsky.graph.getRelationships"))
    let signedIn = try await SignedInRun(
      faults: SandboxFaults(rate: 1, kinds: [.badGateway], methods: [method]))
    let handle = try #require(Handle("niaj.test"))
    let target = try #require(signedIn.run.sandbox.network.account(handle)).did.description
    let before = try signedIn.follows()
    let run = try await signedIn.kith("follow \(target)")
    #expect(run.status == 0)
    #expect(try run.changes().map(\.state) == ["done"])
    #expect(try signedIn.follows().count == before.count + 1)
    #expect(try signedIn.follows().contains(target))
  }

  /// The handle is resolved by the PDS itself.
  @Test func aFollowByHandleWorksWithoutTheAppView() async throws {
    let method = try #require(NSID("app.bsky.graph.getRelationships"))
    let signedIn = try await SignedInRun(
      faults: SandboxFaults(rate: 1, kinds: [.badGateway], methods: [method]))
    let handle = try #require(Handle("niaj.test"))
    let target = try #require(signedIn.run.sandbox.network.account(handle)).did.description
    let run = try await signedIn.kith("follow niaj.test --appview http://127.0.0.1:1")
    #expect(run.status == 0)
    #expect(try run.changes().map(\.state) == ["done"])
    #expect(try signedIn.follows().contains(target))
  }
}
