// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// What is said about options that several commands declare.
///
/// They share the words rather than a group: a group, even of one option, takes a fiftieth of the start of a command.
extension ArgumentHelp {
  static var column: ArgumentHelp {
    ArgumentHelp("Read files and stdin as CSV with a header line, and use this column.", valueName: "name")
  }

  static var compareAppview: ArgumentHelp {
    ArgumentHelp(
      """
      Only show where this AppView disagrees with the usual one about these relationships; the repositories say \
      which of them is right.
      """, valueName: "url")
  }

  static var explain: ArgumentHelp { "Print the estimated cost and do nothing else; reads at most counts." }

  static var from: ArgumentHelp {
    ArgumentHelp(
      "Read accounts from a file, one per line; - is stdin. May be repeated.", valueName: "file")
  }

  static var graph: ArgumentHelp {
    ArgumentHelp(
      "The graph of follows: bluesky (default), tangled, grain, spark, cosmik, weaver, or the NSID of another app's. May be repeated.",
      valueName: "graph")
  }

  static var limit: ArgumentHelp { ArgumentHelp("List at most this many.", valueName: "n") }

  static var skipInvalid: ArgumentHelp {
    "Skip names that are not valid, with a warning, instead of failing."
  }
}
