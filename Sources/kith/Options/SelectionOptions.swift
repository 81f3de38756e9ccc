// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Options that leave out some of the accounts that a command is about.
struct SelectionOptions: ParsableArguments {
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

  /// Checks that stdin is read once only.
  func validate(beside names: some Collection<String>, files: [String]) throws {
    if exclude.contains("-"),
      names.contains("-") || files.contains("-") || exclude.count(where: { $0 == "-" }) > 1
    {
      throw ValidationError("stdin (-) can be read once only; leave the others out.")
    }
  }
}
