// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import ArgumentParser
import RelationshipWriting
import Relationships

/// `kith lists add`: put actors on a list.
struct ListsAddCommand: ListMembersCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Put actors on a list of yours.",
    discussion: """
      Whoever is on it already costs nothing. A moderation list takes in nobody whom you follow, for you would \
      mute or block them by it: those are refused, unless --allow-mutuals says otherwise.

        kith lists add Friends alice.test bob.test
        kith lists add Noise --from wave.txt --dry-run
        kith lists add Noise --from https://bsky.app/profile/alice.test/lists/3k2yihcrp6f2c

      Fields of each row: verb, input, subject, state (done, unchanged, planned, refused, failed, notFound, \
      error, pending, inDoubt, cancelled), writes, notes, job, error. With --explain: step, collection, calls, \
      targets, bytes, points, seconds, estimate.
      """)

  static let verb = ChangeVerb(name: "lists add", participle: "added")

  @Argument(help: "The list, by its name, AT-URI or URL.") var list: String

  @Argument(
    help: ArgumentHelp("Handles, DIDs, profile URLs or AT-URIs; - reads them from stdin.", valueName: "actor")
  )
  var names: [String] = []

  @OptionGroup(title: "Actors") var members: MemberOptions
  @OptionGroup(title: "Moderation") var moderation: ModerationOptions
  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup var common: CommonOptions

  func validate() throws { try validateMembers() }

  func change(_ actor: DID, _ list: ATURI) -> ListChange {
    .add(actor, to: list, allowsFollowed: moderation.allowMutuals)
  }
}
