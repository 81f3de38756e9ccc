// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The executable: runs the command, prints complaints to stderr and exits with its status.
@main
struct Lexgen {
  static func main() {
    let outcome = Command.run(Array(CommandLine.arguments.dropFirst()))
    let text = Array(outcome.complaints.map { $0 + "\n" }.joined().utf8)
    _ = write(STDERR_FILENO, text, text.count)
    exit(outcome.status)
  }
}
