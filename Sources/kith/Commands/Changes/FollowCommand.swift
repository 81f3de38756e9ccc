// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships
import KithWriting

/// `kith follow`: follows accounts.
struct FollowCommand: ActorChangeCommand {
  static let configuration = CommandConfiguration(
    verb: "follow",
    abstract: "Follow accounts.",
    discussion: """
      Accounts that you already follow cost nothing. Every record is stored with its key before anything is \
      sent; an interrupted run can be resumed (kith jobs) without lost or duplicate follows. Listings of follows are \
      those of the graphs that --graph names.

        kith follow alice.test bob.test
        kith follow --from names.txt --dry-run
        kith follow carol.test --for 7d
        kith follow carol.test --graph bluesky --graph tangled
        kith follow --graph tangled --following-in bluesky

      Accounts named on the command line, up to 25, are checked for a policy that asks for approval; on a terminal \
      kith offers to send a request instead.

      \(ChangeRow.help)
      """)

  @OptionGroup(title: "Accounts") var actors: ActorArguments
  @OptionGroup(title: "Accounts") var sources: AccountSources
  @OptionGroup(title: "Time") var timing: TimingOptions
  @OptionGroup(title: "Change") var graph: WrittenGraphOptions

  @Flag(help: "Also follow accounts that want to be asked first (see kith friends policy).")
  var allowUnapproved = false

  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var lifetime: DurationOption? { timing.span }

  var graphs: [FollowGraph] { graph.asked.graphs }

  func change(_ accounts: AccountChoice, _ context: CommandContext) -> ChangeAccounts {
    ChangeAccounts(.follow(in: graphs, evenUnapproved: allowUnapproved), accounts)
  }
}
