// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import ArgumentParser
import RelationshipWriting
import Relationships

/// `kith unblock`: block actors no more.
struct UnblockCommand: ActorChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "unblock",
    _superCommandName: Program.name,
    abstract: "Block actors no more.",
    discussion: """
      Removes the block records of the actor and nothing else. Where a list blocks the actor, it says which, \
      and what ends that.

        kith unblock alice.test

      Fields of each row: verb, input, subject, state (done, unchanged, planned, refused, failed, notFound, \
      error, pending, inDoubt, cancelled), writes, notes, job, error. With --explain: step, collection, calls, \
      targets, bytes, points, seconds, estimate.
      """)

  static let verb = ChangeVerb(name: "unblock", participle: "unblocked", isDestructive: true)

  @OptionGroup(title: "Actors") var actors: ActorArguments
  @OptionGroup(title: "Actors") var sources: AccountSources
  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup var common: CommonOptions

  func change(_ actor: DID) -> ChangeIntent { .unblock(actor) }
}
