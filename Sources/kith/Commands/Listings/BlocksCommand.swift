// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
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

  func request(_ wiring: Wiring) async throws -> ListingRequest {
    let actor = try await wiring.actor(named: actor)
    // For the viewer's own blocks, the AppView returns the names with fewer calls.
    let account = try await wiring.accountIfAny()
    return ListingRequest(
      listing: .blocks(of: actor), account: actor == account.map { .did($0.did) } ? account : nil)
  }
}
