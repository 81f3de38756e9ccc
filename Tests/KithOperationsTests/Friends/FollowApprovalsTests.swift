// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import KithCore
import KithOperations
import KithRelationships
import KithSandbox
import SandboxSupport
import TestSupport
import Testing

/// How long a follow waits for the policies of others.
@Suite struct FollowApprovalsTests {
  /// Servers that take requests, and say nothing.
  private struct SilentServers: HTTPTransport {
    let network: FaultyNetwork
    let isSilent: @Sendable (TransportRequest) -> Bool

    var capabilities: TransportCapabilities { network.capabilities }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      guard isSilent(request) else { return try await network.send(request) }
      try await network.clock.sleep(for: request.limits.total)
      throw TransportError(.timedOut, host: request.head.authority ?? "")
    }
  }

  /// The policies of the cast, of which Grace's alone asks for approval, and how long they were waited for.
  private func terms(
    where isSilent: @escaping @Sendable (TransportRequest) -> Bool
  ) async throws -> (required: [String], wait: Duration) {
    let network = FaultyNetwork(.reference, accounts: 100)
    let dave = try await ServedUser("dave", on: network)
    let workspace = dave.workspace(over: SilentServers(network: network, isSilent: isSilent))
    let account = try await workspace.account()
    let names = ["grace", "bob", "carol"].map { TargetStream.Origin.argument("\($0).test") }
    let selected = try await workspace.accounts(
      of: AccountSelection([.names(TargetStream(origins: names))]), as: account
    ) { _ in }
    let start = network.time.now
    let terms = try await FollowApprovals(of: selected, as: account, in: workspace).terms()
    return (terms.required.map(\.name), network.time.now - start)
  }

  @Test func aPolicyThatAsksForApprovalIsFound() async throws {
    #expect(try await terms { _ in false }.required == ["grace.test"])
  }

  @Test func serversThatSayNothingAreWaitedForTwoSecondsInAll() async throws {
    let silentRepositories = try await terms {
      RequestQuery($0)["collection"].contains { $0.hasSuffix("friendPolicy") }
    }
    let silentDirectory = try await terms { "https://\($0.head.authority ?? "")" == FaultyNetwork.plc }
    for (required, wait) in [silentRepositories, silentDirectory] {
      #expect(required.isEmpty && wait <= FollowApprovals.patience, "\(wait)")
    }
  }
}
