// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import ArgumentParser
import RelationshipWriting

/// `kith unmute`: mute actors no more.
struct UnmuteCommand: ActorChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "unmute",
    _superCommandName: Program.name,
    abstract: "Mute actors no more.",
    discussion: """
      Ends the mute of the actor itself. Where a list mutes the actor, it says so. An actor has one mute; with \
      --only it ends where it is of that part, and stays otherwise.

        kith unmute loud.test
        kith unmute --from loud.txt --only reposts

      Fields of each row: verb, input, subject, state (done, unchanged, planned, refused, failed, notFound, \
      error, pending, inDoubt, cancelled), writes, notes, job, error. With --explain: step, collection, calls, \
      targets, bytes, points, seconds, estimate.
      """)

  static let verb = ChangeVerb(name: "unmute", participle: "unmuted")

  @OptionGroup(title: "Actors") var actors: ActorArguments
  @OptionGroup(title: "Actors") var sources: AccountSources
  @Option(help: ArgumentHelp("End mutes of this part of what they post only.", valueName: "part"))
  var only: MutePart?
  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup var common: CommonOptions

  func change(_ actor: DID) -> ChangeIntent { .unmute(actor) }

  func narrowed(_ planned: PlannedChange) -> PlannedChange {
    only.map { planned.ending(only: $0.scope) } ?? planned
  }
}
