// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `kith sandbox`: becomes `kith-sandbox run`, which has the options.
struct SandboxCommand: KithCommand {
  static let configuration = CommandConfiguration(
    verb: "sandbox",
    abstract: "Run a small AT Protocol network on this machine.",
    discussion: """
      An AppView, a PDS and a PLC directory on 127.0.0.1, with made-up accounts, for trying things out and \
      for tests of an app. It is a program of its own, kith-sandbox: kith sandbox --help shows its options.

        kith sandbox --port 8700 &
        kith sandbox --fault-rate 30% --faults 500,reset --rate-limit 3000/300
        kith sandbox --history 30 --port 8700 &
      """)

  @Argument(parsing: .captureForPassthrough, help: "The options of kith-sandbox run.")
  var options: [String] = []

  func run(in process: RunContext) async throws { try SandboxProgram.become(["run"] + options) }
}
