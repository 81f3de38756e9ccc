// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships

/// `kith mutes`: lists the accounts that you mute.
struct MutesCommand: ListingCommand {
  static let configuration = CommandConfiguration(
    verb: "mutes",
    abstract: "List the accounts you mute.",
    discussion: """
      Mutes are private and known only to your AppView. It reports no dates, and does not list the members \
      of muted lists. When a mute ends, and that only reposts or quotes of an account are muted, is shown for the \
      mutes that kith made: no server tells.

        kith mutes

      \(AccountViewRow.help)
      """)

  @OptionGroup(title: "Listing") var options: ListingOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  mutating func validate() throws {
    if options.details.contains(.dates) {
      throw ValidationError(
        "No server reports the dates of mutes; omit --dates, --since and followed-at.")
    }
  }

  func queries(_ context: CommandContext) async throws -> [ListingQuery] {
    [ListingQuery(.mutes(of: .did(try await context.workspace.account().did)))]
  }
}
