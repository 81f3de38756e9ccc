// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithWriting

/// `kith unmute`: unmutes accounts.
struct UnmuteCommand: ActorChangeCommand {
  static let configuration = CommandConfiguration(
    verb: "unmute",
    abstract: "Unmute accounts.",
    discussion: """
      Removes the mute of the account itself. If a list still mutes the account, that is reported. An \
      account has one mute; with --only, it is removed only if it is limited to that part.

        kith unmute loud.test
        kith unmute --from loud.txt --only reposts

      \(ChangeRow.help)
      """)

  @OptionGroup(title: "Accounts") var actors: ActorArguments
  @OptionGroup(title: "Accounts") var sources: AccountSources
  @Option(
    help: ArgumentHelp("Remove only mutes that are limited to this part of their posts.", valueName: "part"))
  var only: MuteScopeOption?
  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  func change(_ accounts: AccountChoice, _ context: CommandContext) -> ChangeAccounts {
    ChangeAccounts(.unmute(only?.scope), accounts)
  }
}
