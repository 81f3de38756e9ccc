// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithSandbox

/// `kith-sandbox past`, for tests and demos: no help shows it.
struct PastCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "past",
    abstract: "Print what snapshots of alice.test would have seen on a growing network until now.",
    discussion: "kith db load-history reads the output.",
    shouldDisplay: false)

  @Option(parsing: .unconditional, help: ArgumentHelp("Days until now.", valueName: "days"))
  var days = DemoPast.days

  @OptionGroup var network: SandboxOptions

  mutating func validate() throws {
    guard (1...10_000).contains(days) else {
      throw ValidationError("--days must be from 1 to 10000, not \(days).")
    }
  }

  func run() throws {
    try SandboxPast(days: days, of: network.network).pass { lines in
      try StandardOutput.write(Array((lines.joined(separator: "\n") + "\n").utf8))
    }
  }
}
