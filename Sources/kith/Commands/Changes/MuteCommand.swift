// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import ArgumentParser
import RelationshipWriting
import Relationships

/// `kith mute`: mute actors.
struct MuteCommand: ActorChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "mute",
    _superCommandName: Program.name,
    abstract: "Mute actors.",
    discussion: """
      Mutes are private: the AppView keeps them, no repository does. A later mute of an actor takes the \
      place of an earlier one, with its own part.

        kith mute loud.test
        kith mute loud.test --only reposts --for 12h

      Fields of each row: verb, input, subject, state (done, unchanged, planned, refused, failed, notFound, \
      error, pending, inDoubt, cancelled), writes, notes, job, error. With --explain: step, collection, calls, \
      targets, bytes, points, seconds, estimate.
      """)

  static let verb = ChangeVerb(name: "mute", participle: "muted")

  @OptionGroup(title: "Actors") var actors: ActorArguments
  @OptionGroup(title: "Actors") var sources: AccountSources
  @Option(help: ArgumentHelp("Mute only a part of what they post.", valueName: "part")) var only: MutePart?
  @OptionGroup(title: "Time") var timing: TimingOptions
  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup var common: CommonOptions

  var lifetime: Span? { timing.span }

  func change(_ actor: DID) -> ChangeIntent { .mute(actor, only?.scope ?? .everything) }
}
