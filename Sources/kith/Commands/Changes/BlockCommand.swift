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
      kith jobs undo does.

        kith block spam.test
        kith block --from wave.txt --yes
        kith block rude.test --for 30d

      \(ChangeRow.help)
      """)

  static let verb = ChangeVerb(name: "block", participle: "blocked", isDestructive: true)

  @OptionGroup(title: "Accounts") var actors: ActorArguments
  @OptionGroup(title: "Accounts") var sources: AccountSources
  @OptionGroup(title: "Time") var timing: TimingOptions
  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var lifetime: DurationOption? { timing.span }

  func change(_ actor: DID) -> ChangeIntent { .block(actor) }
}
