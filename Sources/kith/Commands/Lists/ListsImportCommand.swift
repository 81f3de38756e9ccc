// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithWriting

/// `kith lists import`: adds the accounts in a file to a list.
struct ListsImportCommand: ListMembersCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Add accounts from a file or another list to a list of yours.",
    discussion: """
      Same as kith lists add with --from. All invalid lines are reported before anything is changed.

        kith lists import Noise noise.txt
        kith lists import Noise --from noise.csv --column subject
        kith lists import Noise --from at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/app.bsky.graph.list/3k2yihcrp6f2c

      \(ChangeRow.help)
      """)

  @Argument(help: "The list, by its name, AT-URI or URL.", completion: .ownList) var list: String

  @Argument(
    help: ArgumentHelp("The file or the list to read; the same as --from.", valueName: "file|list"),
    completion: .file())
  var place: String?

  @OptionGroup(title: "Accounts") var members: MemberOptions
  @OptionGroup(title: "Moderation") var moderation: ModerationOptions
  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var names: [String] { [] }
  var sources: AccountSources? { nil }

  mutating func validate() throws {
    if let place { members.places.insert(place, at: 0) }
    place = nil
    if members.places.isEmpty {
      throw ValidationError("No accounts given: name a file, or - for stdin.")
    }
    try members.validate(with: names)
  }

  var kind: ChangeListMembers.Kind { .add(allowingFollowed: moderation.allowMutuals) }
}
