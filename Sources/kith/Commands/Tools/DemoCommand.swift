// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `kith demo`: becomes `kith-sandbox demo`, which runs this executable.
struct DemoCommand: KithCommand {
  static let configuration = CommandConfiguration(
    verb: "demo",
    abstract: "Show the main commands on a small sandbox network.",
    discussion: """
      Runs commands against a network of its own, and shows each with its real output. It is part of \
      kith-sandbox: kith demo --help shows its options.

        kith demo --report report.html
      """)

  @Argument(parsing: .captureForPassthrough, help: "The options of kith-sandbox demo.")
  var options: [String] = []

  func run(in process: RunContext) async throws {
    try SandboxProgram.become(["demo", "--kith", try SandboxProgram.executable()] + options)
  }
}
