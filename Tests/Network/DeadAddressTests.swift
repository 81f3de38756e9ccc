// SPDX-License-Identifier: Apache-2.0

import KithClient
import TestSupport
import Testing

/// A name whose first address is dead. The AppView listens on 127.0.0.1 only.
@Suite(
  .enabled(if: LiveNetwork.isUp, "no network is up; make test-network starts one"), .timeLimit(.minutes(1)))
struct DeadAddressTests {
  /// Without permission to create a namespace, the tests are skipped.
  private static func mayName() async -> Bool {
    (try? await HarnessProcess("with-hosts", ["127.0.0.1 localhost", "true"]).status) == 0
  }

  @Test(
    .enabled("needs permission to create a mount namespace") { await mayName() },
    arguments: [false, true])
  func usesTheOtherAddress(isSilent: Bool) async throws {
    let network = try await LiveNetwork.populated().network
    let port = try #require(network.appview.url.authority.split(separator: ":").last.flatMap { UInt16($0) })
    // There is no listener, or one that never answers.
    let silence = isSilent ? try SilentPort(port) : nil
    let run = try await HarnessProcess(
      "with-hosts",
      [
        "::1 dual.test, 127.0.0.1 dual.test", KithRun.executable, "check", "\(network.did("alice"))",
        "\(network.did("bob"))", "--is", "mutual", "--no-cache", "--appview", "http://dual.test:\(port)",
      ])
    withExtendedLifetime(silence) {}
    #expect(run.status == 0, "\(run.talk)")
  }
}
