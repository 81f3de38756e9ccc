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
      sent; an interrupted run can be resumed (kith jobs) without lost or duplicate follows.

        kith follow alice.test bob.test
        kith follow --from names.txt --dry-run
        kith follow carol.test --for 7d
        kith follow carol.test --graph bluesky --graph tangled
        kith follow --graph tangled --following-in bluesky

      \(ChangeRow.help)
      """)

  static let verb = ChangeVerb(name: "follow", participle: "followed")

  @OptionGroup(title: "Accounts") var actors: ActorArguments
  @OptionGroup(title: "Accounts") var sources: AccountSources
  @OptionGroup(title: "Time") var timing: TimingOptions
  @OptionGroup(title: "Change") var graph: WrittenGraphOptions
  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var lifetime: DurationOption? { timing.span }

  var graphs: [FollowGraph] { graph.asked.graphs }

  func change(_ actor: DID) -> ChangeIntent { change(actor, in: graphs.first ?? .bluesky) }

  func change(_ actor: DID, in graph: FollowGraph) -> ChangeIntent { .follow(actor, in: graph) }
}
