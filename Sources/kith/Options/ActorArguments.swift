// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The actors that a command does something to.
struct ActorArguments: ParsableArguments {
  @Argument(
    help: ArgumentHelp("Handles, DIDs, profile URLs or AT-URIs; - reads them from stdin.", valueName: "actor")
  )
  var names: [String] = []

  @OptionGroup var input: InputOptions

  @OptionGroup var sources: AccountSources

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "Only those of them for whom this holds, as \"not mutual and followers < 10\".", valueName: "predicate")
  )
  var predicate: String?

  mutating func validate() throws {
    if names.isEmpty, input.files.isEmpty, sources.isEmpty {
      throw ValidationError(
        "Whom? Name actors, --from FILE, a listing such as --followers-of ACTOR, or - for stdin.")
    }
    try input.validate(with: names)
  }
}
