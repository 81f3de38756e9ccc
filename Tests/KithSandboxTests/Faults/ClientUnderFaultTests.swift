// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithCurlTransport
import KithLexicons
import KithSandbox
import SandboxSupport
import Testing

/// A client's calls when half of the answers fail, with one kind of fault at a time.
@Suite struct ClientUnderFaultTests {
  private typealias Method = App.Bsky.Graph.GetRelationships

  @Test(arguments: ["500", "502", "503", "reset", "truncate", "stall", "slow"])
  func everyCallIsAnsweredInTheEnd(kind: String) async throws {
    let network = SandboxNetwork(configuration: SandboxNetwork.Configuration(accounts: 100))
    let kind = try #require(SandboxFaults.Kind(rawValue: kind))
    let sandbox = Sandbox(
      network: network,
      configuration: Sandbox.Configuration(
        faults: SandboxFaults(rate: 0.5, kinds: [kind], pause: .zero)))
    let server = try ServedSandbox(sandbox)
    let endpoints = server.endpoints
    // Only for stalls, the timeout should be short: a busy machine delays the others, too. Where it is, a sound answer may
    // come too late, so a call is repeated as often as it takes.
    let stall: Duration = kind == .stall ? .milliseconds(50) : .seconds(10)
    let client = XRPCClient(
      service: try ServiceURL(parsing: endpoints.appview), transport: CurlTransport(),
      configuration: XRPCClient.Configuration(
        retry: RetryPolicy(
          attempts: 10_000, attemptsAtUntrustedHosts: 10_000, firstDelay: .zero, budget: .seconds(600)),
        limits: TransportRequest.Limits(stall: stall)))
    let dids = network.accounts.map(\.did)
    for target in dids.dropFirst().prefix(20) {
      let answer = try await client.query(
        Method.self, Method.Parameters(actor: .did(dids[0]), others: [.did(target)]))
      #expect(answer.actor == dids[0])
      #expect(answer.relationships.count == 1)
    }
    #expect(sandbox.statistics.faults[kind, default: 0] > 5)
    await server.stop()
  }
}
