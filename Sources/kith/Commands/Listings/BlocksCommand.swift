// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships

/// `kith blocks`: lists the accounts that an account blocks.
struct BlocksCommand: ListingCommand {
  static let configuration = CommandConfiguration(
    verb: "blocks",
    abstract: "List the accounts that an account blocks.",
    discussion: """
      Blocks are read from the repository, which is public, with their dates. The listing is complete and \
      includes accounts that are suspended or gone. It does not include the members of blocked lists; kith \
      export lists shows which lists you block.

        kith blocks
        kith blocks alice.test --status

      \(AccountViewRow.help)
      """)

  @Argument(help: ArgumentHelp("The account. Default: yours.", valueName: "account"), completion: .actor)
  var actor: String?

  @OptionGroup(title: "Listing") var options: ListingOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  mutating func validate() throws {
    if options.cursor != nil {
      throw ValidationError("Blocks are read from the repository all at once; omit --cursor.")
    }
  }

  func queries(_ context: CommandContext) async throws -> [ListingQuery] {
    [ListingQuery(.blocks(of: try await context.workspace.actor(named: actor)))]
  }
}
