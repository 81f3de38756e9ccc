// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The actors that a command does something to.
struct ActorArguments: ParsableArguments {
  @Argument(
    help: ArgumentHelp("Handles, DIDs, profile URLs or AT-URIs; - reads them from stdin.", valueName: "actor")
  )
  var names: [String] = []

  @OptionGroup var input: InputOptions

  mutating func validate() throws {
    if names.isEmpty, input.files.isEmpty {
      throw ValidationError("Whom? Name actors, --from FILE, or - for stdin.")
    }
    try input.validate(with: names)
  }
}
