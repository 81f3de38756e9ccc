// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// A filter on the accounts that a command lists.
struct PredicateOptions: ParsableArguments {
  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "Only accounts that match, such as \"mutual and followers > 100\". May be repeated.",
      valueName: "predicate"), completion: .predicate)
  var predicates: [String] = []
}
