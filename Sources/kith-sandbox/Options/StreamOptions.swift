// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithSandbox

/// Options that define the Jetstream of a sandbox.
struct StreamOptions: ParsableArguments {
  @Flag(help: "Have the Jetstream only speak /subscribe, as legacy servers do.")
  var legacyStream = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Events that the Jetstream keeps, 1 to 1,000,000.", valueName: "n"))
  var streamWindow = SandboxStream().window

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Events after which the Jetstream drops each connection.", valueName: "n"))
  var streamDrop: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Events before its cursor that the Jetstream sends to a client again.", valueName: "n"))
  var streamRepeat = 0

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Connections that the Jetstream refuses with 503 at first.", valueName: "n"))
  var streamRefusals = 0

  mutating func validate() throws {
    guard (1...1_000_000).contains(streamWindow) else {
      throw ValidationError("--stream-window must be a whole number from 1 to 1000000, not \(streamWindow).")
    }
    for (name, value, least) in [
      ("--stream-drop", streamDrop ?? 1, 1), ("--stream-repeat", streamRepeat, 0),
      ("--stream-refusals", streamRefusals, 0),
    ] where !(least...1_000_000).contains(value) {
      throw ValidationError("\(name) must be a whole number from \(least) to 1000000, not \(value).")
    }
  }

  /// How the sandbox's Jetstream behaves.
  var stream: SandboxStream {
    var stream = SandboxStream()
    stream.isLegacy = legacyStream
    stream.window = streamWindow
    stream.ending = streamDrop.map { SandboxStream.Ending(.dropped, after: $0) }
    stream.repeats = streamRepeat
    stream.refusals = streamRefusals
    return stream
  }
}
