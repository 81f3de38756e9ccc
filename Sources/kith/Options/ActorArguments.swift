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

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "Only accounts that match, such as \"not mutual and followers < 10\". May be repeated.",
      valueName: "predicate"), completion: .predicate)
  var predicate: [String] = []

  @Option(
    help: ArgumentHelp(
      "Leave out the accounts that this file names, one per line or as CSV or JSON. May be repeated.",
      valueName: "file"),
    completion: .file())
  var exclude: [String] = []

  @Flag(help: "Leave out accounts that you follow.")
  var excludeFollowing = false

  /// Which of the accounts are wanted, in the predicate language.
  var predicates: [String] { predicate + (excludeFollowing ? ["not following"] : []) }

  /// Whether neither an argument nor a file names an account.
  var isEmpty: Bool { names.isEmpty && input.files.isEmpty }

  mutating func validate() throws {
    try input.validate(with: names)
    if exclude.contains("-"),
      names.contains("-") || input.files.contains("-") || exclude.count(where: { $0 == "-" }) > 1
    {
      throw ValidationError("stdin (-) can be read once only; leave the others out.")
    }
  }
}
