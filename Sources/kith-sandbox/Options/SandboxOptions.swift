// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithSandbox

/// Options that define a sandbox network.
struct SandboxOptions: ParsableArguments {
  @Option(parsing: .unconditional, help: ArgumentHelp("Number of accounts, 14 to 1,000,000.", valueName: "n"))
  var accounts = 1_000

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Seed; the same seed gives the same network.", valueName: "n")
  )
  var seed: UInt64 = 1

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How many made-up accounts have sent alice a friend request.", valueName: "n"))
  var requests = 0

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Delay of each response in milliseconds, 0 to 60,000.", valueName: "ms"))
  var latency = 0

  mutating func validate() throws {
    guard (14...1_000_000).contains(accounts) else {
      throw ValidationError("--accounts must be a whole number from 14 to 1000000, not \(accounts).")
    }
    guard (0...accounts).contains(requests) else {
      throw ValidationError("--requests must be from 0 to the number of accounts, not \(requests).")
    }
    guard (0...60_000).contains(latency) else {
      throw ValidationError("--latency must be from 0 to 60000 milliseconds, not \(latency).")
    }
  }

  /// The network as it is generated.
  var network: SandboxNetwork {
    SandboxNetwork(configuration: .init(accounts: accounts, seed: seed, requests: requests))
  }

  /// - Parameters:
  ///   - days: the number of days of simulated history.
  ///   - pace: the kind of simulated history.
  func sandbox(
    days: Int, pace: SandboxPace = .steady, failing: FaultOptions? = nil,
    writing: WritingOptions? = nil, streaming: StreamOptions? = nil
  ) -> Sandbox {
    Sandbox(
      network: network,
      configuration: .init(
        latency: .milliseconds(latency), faults: failing?.faults(seed: seed) ?? SandboxFaults(),
        rateLimit: failing?.rateLimit, writing: writing?.writing ?? SandboxWriting(), days: days,
        pace: pace, stream: streaming?.stream ?? SandboxStream()))
  }
}
