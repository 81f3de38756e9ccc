// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `kith starter-packs`: starter packs and their members.
struct StarterPacksCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "starter-packs",
    abstract: "Show starter packs and follow their members.",
    discussion: """
      Name a starter pack by its AT-URI, the URL of its page, alice.test/NAME, or, for your own, its name.

        kith starter-packs --of alice.test
        kith starter-packs show https://bsky.app/starter-pack/alice.test/3k2yihcrp6f2c
        kith starter-packs follow https://bsky.app/starter-pack/alice.test/3k2yihcrp6f2c --dry-run
      """,
    subcommands: [
      StarterPacksListCommand.self, StarterPacksShowCommand.self, StarterPacksFollowCommand.self,
    ],
    defaultSubcommand: StarterPacksListCommand.self)
}
