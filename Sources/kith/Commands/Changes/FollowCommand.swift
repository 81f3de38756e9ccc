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

      \(ChangeRow.help)
      """)

  static let verb = ChangeVerb(name: "follow", participle: "followed")

  @OptionGroup(title: "Accounts") var actors: ActorArguments
  @OptionGroup(title: "Accounts") var sources: AccountSources
  @OptionGroup(title: "Time") var timing: TimingOptions
  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var lifetime: DurationOption? { timing.span }

  func change(_ actor: DID) -> ChangeIntent { .follow(actor) }
}
