// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import ArgumentParser
import RelationshipWriting
import Relationships

/// `kith unfollow`: follow actors no more.
struct UnfollowCommand: ActorChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "unfollow",
    _superCommandName: Program.name,
    abstract: "Follow actors no more.",
    discussion: """
      Removes every follow record that points to the actor, also where there are several. An edge that only \
      the AppView shows, without a record, is told and cannot be removed by anybody.

        kith unfollow alice.test
        kith unfollow --from leavers.txt --yes

      Fields of each row: verb, input, subject, state (done, unchanged, planned, refused, failed, notFound, \
      error, pending, inDoubt, cancelled), writes, notes, job, error. With --explain: step, collection, calls, \
      targets, bytes, points, seconds, estimate.
      """)

  static let verb = ChangeVerb(
    name: "unfollow", participle: "unfollowed", isDestructive: true, endsFollows: true)

  @OptionGroup(title: "Actors") var actors: ActorArguments
  @OptionGroup(title: "Actors") var sources: AccountSources
  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup var common: CommonOptions

  func change(_ actor: DID) -> ChangeIntent { .unfollow(actor) }
}
