// SPDX-License-Identifier: Apache-2.0

import ATProtoSandbox
import ArgumentParser

/// Options that shape a sandbox network.
struct SandboxOptions: ParsableArguments {
  @Option(help: ArgumentHelp("How many accounts it has, 14 to 1,000,000.", valueName: "n"))
  var accounts = 1_000

  @Option(help: ArgumentHelp("Another seed makes another network; the same one, the same.", valueName: "n"))
  var seed: UInt64 = 1

  @Option(
    help: ArgumentHelp("How long each answer is held back, in milliseconds, 0 to 60,000.", valueName: "ms"))
  var latency = 0

  mutating func validate() throws {
    guard (14...1_000_000).contains(accounts) else {
      throw ValidationError("--accounts takes a whole number from 14 to 1000000, not \(accounts).")
    }
    guard (0...60_000).contains(latency) else {
      throw ValidationError("--latency takes milliseconds from 0 to 60000, not \(latency).")
    }
  }

  /// - Parameters:
  ///   - days: how many days of a story it has.
  ///   - pace: which story that is.
  func sandbox(
    port: UInt16, days: Int, pace: Sandbox.Pace = .steady, failing: FaultOptions? = nil,
    writing: WritingOptions? = nil
  ) -> Sandbox {
    Sandbox(
      network: SandboxNetwork(configuration: .init(accounts: accounts, seed: seed)),
      configuration: .init(
        port: port, latency: .milliseconds(latency), faults: failing?.faults(seed: seed) ?? Sandbox.Faults(),
        rateLimit: failing?.rateLimit, writing: writing?.writing ?? Sandbox.Writing(), days: days,
        pace: pace))
  }
}
