// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships
import KithWriting

struct FriendsDeclineCommand: FriendChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "decline",
    abstract: "Decline requests, silently.",
    discussion: """
      Nothing is sent: only your journal says so, and the request is not listed again unless it changes. For others it \
      looks like a request that you have not seen. An acceptance of the request is taken back. A row of kith friends \
      inbox declines only the version in it; a request that has changed since is refused.

        kith friends decline spam.test
        kith friends inbox --where "followers < 5" | kith friends decline -

      \(ChangeRow.help)
      """)

  @OptionGroup(title: "Accounts") var actors: ActorArguments
  @OptionGroup(title: "Accounts") var sources: AccountSources
  @OptionGroup(title: "Requests") var answers: AnswerOptions
  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  func kind(at now: Instant) -> FriendChanges.Kind { .decline }

  var answer: AnswerOptions? { answers }
}
