// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The accounts that a command changes.
struct ActorArguments: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "Handles, DIDs, profile URLs or AT-URIs; - reads them from stdin.", valueName: "account"),
    completion: .account
  )
  var names: [String] = []

  @OptionGroup var input: InputOptions

  @OptionGroup var selection: SelectionOptions

  /// Whether neither an argument nor a file names an account.
  var isEmpty: Bool { names.isEmpty && input.files.isEmpty }

  mutating func validate() throws {
    try input.validate(with: names)
    try selection.validate(beside: names, files: input.files)
  }
}
