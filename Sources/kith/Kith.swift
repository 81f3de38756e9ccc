// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc

/// The command `kith`.
@main
struct Kith: AsyncParsableCommand {
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "kith",
    abstract: "Who follows, blocks or befriends whom on the AT Protocol.",
    discussion: """
      Actors are named by handle, @handle, DID, profile URL or AT-URI. Data goes to stdout, talk to stderr.

      Exit codes: 0 done or yes, 1 no, 64 wrong usage, 65 not an identifier, 67 no such account, \
      69 service unreachable, 70 a fault of our own, 74 file trouble, 75 asked too often: try later, \
      76 an answer that breaks the protocol, 77 not allowed, 130 interrupted.

      Environment: KITH_APPVIEW, ATP_PDS_HOST and ATP_PLC_HOST name services, SSL_CERT_FILE certificates, \
      KITH_CONTACT how you can be reached; NO_COLOR and CLICOLOR_FORCE decide on colours.
      """,
    version: "kith \(version)",
    subcommands: [
      CheckCommand.self, ResolveCommand.self, XRPCCommand.self, SandboxCommand.self, DemoCommand.self,
      CompletionCommand.self,
    ])

  static func main() async {
    // A peer or a reader that goes away is told of by the write that fails, not by a signal.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGINT) { _ in _exit(ExitStatus.interrupted.rawValue) }
    do {
      var command = try parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      guard let fault = CommandFault(error) ?? Self.ownFault(error) else { exit(withError: error) }
      if !fault.message.isEmpty { StandardError.say(fault.message) }
      _exit(fault.status.rawValue)
    }
  }

  /// An error that nothing above knows is a fault of ours, and must not end with 1, which means "no".
  private static func ownFault(_ error: any Error) -> CommandFault? {
    exitCode(for: error) == .failure ? CommandFault(.ownFault, "a fault of our own: \(error)") : nil
  }
}
