// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `kith graphs`: the graphs of follows of an account.
struct GraphsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "graphs",
    abstract: "Show where an account follows others: on Bluesky, Tangled, Grain and in other apps.",
    discussion: """
      Each app keeps a graph of its own, as records in the repository of the follower, which are public.

        kith graphs
        kith graphs alice.test
        kith graphs compare bluesky tangled --only-in bluesky
        kith follow --graph tangled --following-in bluesky
      """,
    subcommands: [GraphsListCommand.self, GraphsCompareCommand.self],
    defaultSubcommand: GraphsListCommand.self)
}
