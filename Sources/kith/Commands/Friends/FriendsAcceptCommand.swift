// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships
import KithWriting

struct FriendsAcceptCommand: FriendChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept",
    abstract: "Accept requests.",
    discussion: """
      An acceptance is a public record that names one version of the request: anyone can list the accounts that you \
      have accepted. If they change or withdraw the request, it does not count any more. After you accept a request \
      to follow, they write the follow themselves.

      What you accept is what you were shown. A name alone shows what the request asks for and how old it is, and asks; \
      --kind accepts only requests of that kind, and a row of kith friends inbox only the version in it, and a \
      request that has changed since is refused. Without a terminal or with --yes, one of the two is needed.

        kith friends accept dave.test
        kith friends accept dave.test --kind follow
        kith friends inbox --where mutual | kith friends accept -

      \(ChangeRow.help)
      """)

  @OptionGroup(title: "Accounts") var actors: ActorArguments
  @OptionGroup(title: "Accounts") var sources: AccountSources
  @OptionGroup(title: "Requests") var answers: AnswerOptions
  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  func kind(at now: Instant) -> FriendChanges.Kind { .accept }

  var answer: AnswerOptions? { answers }
}
