// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithLocalHTTP
import KithSandbox

/// `kith-sandbox run`, which `kith sandbox` starts: runs a local network for trying things out.
struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run a small AT Protocol network on this machine.",
    discussion: """
      An AppView, a PDS, a PLC directory and a Jetstream on 127.0.0.1, with made-up accounts: alice.test, bob.test and so \
      on. When it is ready, it prints one JSON object with the URLs and the accounts, including passwords, \
      and runs until it is interrupted. Changes are lost then.

        kith sandbox --port 8700 &
        export KITH_APPVIEW=http://127.0.0.1:8700 ATP_PLC_HOST=http://127.0.0.1:8700
        export KITH_RESOLVER=http://127.0.0.1:8700 KITH_JETSTREAM=http://127.0.0.1:8700
        kith check alice.test bob.test

      It can inject faults to test a client: the same seed and the same requests give the same faults.

        kith sandbox --fault-rate 30% --faults 500,reset --rate-limit 3000/300

      With --history it simulates days: each POST /day lets one pass and returns what happened.

        kith sandbox --history 30 --port 8700 &
        kith snapshot alice.test; curl -X POST http://127.0.0.1:8700/day
        kith snapshot alice.test --full; kith history alice.test
        kith sandbox --history 730 --growth --accounts 6000
      """)

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The port to listen on; 0 picks a free one.", valueName: "port"))
  var port: UInt16 = 0

  @Option(
    name: .customLong("history"),
    parsing: .unconditional,
    help: ArgumentHelp("Days of simulated history; POST /day lets one pass.", valueName: "days"))
  var days = 0

  @Flag(help: "Simulate a growing network, for charts.")
  var growth = false

  @OptionGroup var network: SandboxOptions
  @OptionGroup var writing: WritingOptions
  @OptionGroup var failing: FaultOptions
  @OptionGroup var streaming: StreamOptions

  mutating func validate() throws {
    guard (0...10_000).contains(days) else {
      throw ValidationError("--history must be from 0 to 10000 days, not \(days).")
    }
    guard !growth || days > 0 else { throw ValidationError("--growth needs --history.") }
  }

  func run() async throws {
    let listener: HTTPListener
    let limits = LocalHTTPLimits(bodyBytes: Sandbox.mostBodyBytes)
    do { listener = try HTTPListener(port: port, limits: limits) } catch {
      throw ProgramFault(.unavailable, "\(error)")
    }
    let sandbox = network.sandbox(
      days: days, pace: growth ? .growth : .steady, failing: failing, writing: writing,
      streaming: streaming)
    try StandardOutput.write(description(of: sandbox, at: listener.url))
    // A signal ends it.
    await listener.serve(sandbox.answers(at: listener.url))
  }

  /// The addresses and the accounts as JSON, the long part last. Nothing in them needs escaping.
  private func description(of sandbox: Sandbox, at url: String) -> [UInt8] {
    let addresses = ["appview", "pds", "plc", "resolver", "jetstream"].map { #""\#($0)":"\#(url)""# }
    let accounts = sandbox.network.accounts.map { account in
      #"{"handle":"\#(account.handle)","did":"\#(account.did)","password":"\#(account.password)"}"#
    }
    let fields = addresses + [#""accounts":[\#(accounts.joined(separator: ","))]"#]
    return Array("{\(fields.joined(separator: ","))}\n".utf8)
  }
}
