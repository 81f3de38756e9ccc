// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `kith lists`: lists and their members.
struct ListsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "lists",
    abstract: "Show, create and edit lists and their members.",
    discussion: """
      Name a list by its AT-URI, the URL of its page, a starter pack based on it, alice.test/NAME, or, for your \
      own lists, its name. Only your own lists can be changed.

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
