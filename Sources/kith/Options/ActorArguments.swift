// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The actors that a command does something to.
struct ActorArguments: ParsableArguments {
  @Argument(
    help: ArgumentHelp("Handles, DIDs, profile URLs or AT-URIs; - reads them from stdin.", valueName: "actor")
  )
  var names: [String] = []

  @OptionGroup var input: InputOptions

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "Only those of them for whom this holds, as \"not mutual and followers < 10\". May be repeated.",
      valueName: "predicate"))
  var predicate: [String] = []

  /// Whether neither an argument nor a file names anybody.
  var isEmpty: Bool { names.isEmpty && input.files.isEmpty }

  mutating func validate() throws { try input.validate(with: names) }
}
