// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import ArgumentParser
import RelationshipWriting
import Relationships

/// `kith block`: block actors, and follow them no more.
struct BlockCommand: ActorChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "block",
    _superCommandName: Program.name,
    abstract: "Block actors, and follow them no more.",
    discussion: """
      One commit makes the block and removes the own follows of the actor. Nobody can remove the follow \
      record of another account: the block hides it. Unblocking later brings no follow back; kith jobs undo does.

        kith block spam.test
        kith block --from wave.txt --yes
        kith block rude.test --for 30d

      Fields of each row: verb, input, subject, state (done, unchanged, planned, refused, failed, notFound, \
      error, pending, inDoubt, cancelled), writes, notes, job, error. With --explain: step, collection, calls, \
      targets, bytes, points, seconds, estimate.
      """)

  static let verb = ChangeVerb(name: "block", participle: "blocked", isDestructive: true)

  @OptionGroup(title: "Actors") var actors: ActorArguments
  @OptionGroup(title: "Actors") var sources: AccountSources
  @OptionGroup(title: "Time") var timing: TimingOptions
  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup var common: CommonOptions

  var lifetime: Span? { timing.span }

  func change(_ actor: DID) -> ChangeIntent { .block(actor) }
}
