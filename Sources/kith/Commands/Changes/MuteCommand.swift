// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships
import KithWriting

/// `kith mute`: mutes accounts.
struct MuteCommand: ActorChangeCommand {
  static let configuration = CommandConfiguration(
    verb: "mute",
    abstract: "Mute accounts.",
    discussion: """
      Mutes are private: the AppView stores them, not the repository. A new mute of an account replaces an \
      earlier one, including its --only. Muted words are not changed here: they live in preferences that \
      other apps overwrite.

        kith mute loud.test
        kith mute loud.test --only reposts --for 12h

      \(ChangeRow.help)
      """)

  @OptionGroup(title: "Accounts") var actors: ActorArguments
  @OptionGroup(title: "Accounts") var sources: AccountSources
  @Option(help: ArgumentHelp("Mute only this part of their posts.", valueName: "part")) var only:
    MuteScopeOption?
  @OptionGroup(title: "Time") var timing: TimingOptions
  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var lifetime: DurationOption? { timing.span }

  func change(_ accounts: AccountChoice, _ context: CommandContext) -> ChangeAccounts {
    ChangeAccounts(.mute(only?.scope ?? .everything), accounts)
  }
}
