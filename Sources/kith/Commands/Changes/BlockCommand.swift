// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships
import KithWriting

/// `kith block`: blocks accounts and unfollows them.
struct BlockCommand: ActorChangeCommand {
  static let configuration = CommandConfiguration(
    verb: "block",
    abstract: "Block accounts and unfollow them.",
    discussion: """
      One commit creates the block and deletes your follows of the account. If they follow you, the block \
      hides that follow; only they can delete the record. Unblocking later does not restore your follow; \
      kith jobs undo does. Follows in other graphs end only where --graph names them; the row says what \
      stays, and that requests and friendships are void while the block is there. The block does not wait for \
      that look: the row names what was not looked at before it was sent.

      A block is a public record: anyone can see which accounts you block. Only AppViews enforce blocks: they hide \
      posts and refuse replies. A server or an app that reads repositories itself need not. A mute is private (kith \
      help mute).

        kith block spam.test
        kith block --from wave.txt --yes
        kith block rude.test --for 30d
        kith block rude.test --graph tangled

      \(ChangeRow.help)
      """)

  @OptionGroup(title: "Accounts") var actors: ActorArguments
  @OptionGroup(title: "Accounts") var sources: AccountSources
  @OptionGroup(title: "Time") var timing: TimingOptions

  @Option(
    help: ArgumentHelp(
      "Also end follows in this graph: tangled, grain, spark, cosmik, weaver, or an NSID. May be repeated.",
      valueName: "graph"), completion: .list(FollowGraph.known.map(\.name)))
  var graph: [FollowGraph] = []

  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var lifetime: DurationOption? { timing.span }

  func change(_ accounts: AccountChoice, _ context: CommandContext) -> ChangeAccounts {
    ChangeAccounts(.block(endingIn: graph.filter { $0 != .bluesky }), accounts)
  }
}
