// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import ArgumentParser
import RelationshipWriting

/// `kith lists remove`: take actors off a list.
struct ListsRemoveCommand: ListMembersCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Take actors off a list of yours.",
    discussion: """
      Removes every record that puts the actor on the list, also where there are several. Whoever is not on it \
      costs nothing.

        kith lists remove Noise alice.test
        kith lists remove Noise --from friends.txt --yes

      Fields of each row: verb, input, subject, state (done, unchanged, planned, refused, failed, notFound, \
      error, pending, inDoubt, cancelled), writes, notes, job, error. With --explain: step, collection, calls, \
      targets, bytes, points, seconds, estimate.
      """)

  static let verb = ChangeVerb(
    name: "lists remove", participle: "removed", isDestructive: true, imperative: "Take off the list:")

  @Argument(help: "The list, by its name, AT-URI or URL.") var list: String

  @Argument(
    help: ArgumentHelp("Handles, DIDs, profile URLs or AT-URIs; - reads them from stdin.", valueName: "actor")
  )
  var names: [String] = []

  @OptionGroup(title: "Actors") var members: MemberOptions
  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup var common: CommonOptions

  func validate() throws { try validateMembers() }

  func change(_ actor: DID, _ list: ATURI) -> ListChange { .remove(actor, from: list) }
}
