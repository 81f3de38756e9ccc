// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc

/// `kith-sandbox`: the network of `kith sandbox` and the demo of `kith demo`.
@main
struct KithSandboxCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kith-sandbox",
    abstract: "Run a small AT Protocol network on this machine, or a demo of kith on one.",
    discussion: "kith sandbox starts kith-sandbox run, and kith demo starts kith-sandbox demo.",
    subcommands: [RunCommand.self, DemoCommand.self, PastCommand.self], defaultSubcommand: RunCommand.self)

  static func main() async {
    // A write to a closed socket or pipe reports the error; no signal is needed.
    signal(SIGPIPE, SIG_IGN)
    do {
      var command = try parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch let fault as ProgramFault {
      if !fault.description.isEmpty {
        try? StandardOutput.write(Array("\(_errorPrefix)\(fault)\n".utf8), to: STDERR_FILENO)
      }
      _exit(fault.status.rawValue)
    } catch {
      exit(withError: error)
    }
  }

  /// The messages of the argument parser start like all others.
  static var _errorPrefix: String { "kith-sandbox: " }
}
