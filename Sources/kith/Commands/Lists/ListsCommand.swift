// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `kith lists`: lists, and who is on them.
struct ListsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lists",
    _superCommandName: Program.name,
    abstract: "Show lists, make and change your own, and who is on them.",
    discussion: """
      A list is named by its AT-URI, by the URL of its page, by a starter pack that is built on it, or, where it \
      is yours, by its name. Only your own lists can be changed.

        kith lists
        kith lists create Noise --purpose mod
        kith lists add Noise spam.test
        kith lists show https://bsky.app/profile/alice.test/lists/3k2yihcrp6f2c
      """,
    subcommands: [
      ListsListCommand.self, ListsCreateCommand.self, ListsEditCommand.self, ListsDeleteCommand.self,
      ListsShowCommand.self, ListsAddCommand.self, ListsRemoveCommand.self, ListsImportCommand.self,
      ListsExportCommand.self,
    ],
    defaultSubcommand: ListsListCommand.self)
}
