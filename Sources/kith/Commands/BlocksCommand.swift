// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import ArgumentParser
import Relationships

/// `kith blocks`: list whom an actor blocks.
struct BlocksCommand: ListingCommand {
  static let configuration = CommandConfiguration(
    commandName: "blocks",
    _superCommandName: Program.name,
    abstract: "List whom an actor blocks.",
    discussion: """
      From the records of the repository, which are public, with the date of each: whole, also those who are \
      suspended or gone. Whom a list blocks is not among them; kith lists tells which lists you block.

        kith blocks
        kith blocks alice.test --status

      \(AccountViewRow.help)
      """)

  @Argument(help: ArgumentHelp("The actor; yourself where none is named.", valueName: "actor"))
  var actor: String?

  @OptionGroup(title: "Listing") var options: ListingOptions
  @OptionGroup var common: CommonOptions

  mutating func validate() throws {
    if options.cursor != nil {
      throw ValidationError("Blocks are read from the repository, all at once; leave --cursor out.")
    }
  }

  func request(_ wiring: Wiring) async throws -> ListingRequest {
    let actor = try await wiring.actor(named: actor)
    // The AppView tells a viewer the names of all at fewer calls.
    let account = try await wiring.accountIfAny()
    return ListingRequest(
      listing: .blocks(of: actor), account: actor == account.map { .did($0.did) } ? account : nil)
  }
}
