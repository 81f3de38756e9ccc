// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import ATProtoSandbox
import ArgumentParser

/// `kith sandbox`: a network of one's own to try things on.
struct SandboxCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sandbox",
    abstract: "Run a small AT Protocol network on this machine.",
    discussion: """
      An AppView, a PDS and a PLC directory on 127.0.0.1, with made-up accounts: alice.test, bob.test and so \
      on. Prints one JSON object with the URLs and the accounts as soon as it answers, and runs until it is \
      interrupted.

        kith sandbox --port 8700 &
        export KITH_APPVIEW=http://127.0.0.1:8700 ATP_PLC_HOST=http://127.0.0.1:8700
        kith check alice.test bob.test
      """)

  @Option(help: ArgumentHelp("The port to listen on; 0 takes a free one.", valueName: "port"))
  var port: UInt16 = 0

  @OptionGroup var network: SandboxOptions

  func run() async throws {
    let sandbox = network.sandbox(port: port)
    let endpoints: Sandbox.Endpoints
    do {
      endpoints = try await sandbox.start()
    } catch let error as SandboxError {
      throw CommandFault(.unavailable, error.description)
    }
    let accounts = sandbox.network.accounts.map { account in
      OutputValue.object([
        OutputField("handle", .string(account.handle.description)),
        OutputField("did", .string(account.did.description)),
      ])
    }
    let description = OutputValue.object([
      OutputField("appview", .string(endpoints.appview)), OutputField("pds", .string(endpoints.pds)),
      OutputField("plc", .string(endpoints.plc)), OutputField("accounts", .array(accounts)),
    ])
    var line: [UInt8] = []
    description.appendJSON(to: &line)
    try OutputDescriptor.standardOutput.write(line + [UInt8(ascii: "\n")])
    // Ends by a signal.
    while true { try await Task.sleep(for: .seconds(86_400)) }
  }
}
