// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import ArgumentParser
import Relationships

/// `kith mutes`: list whom you mute.
struct MutesCommand: ListingCommand {
  static let configuration = CommandConfiguration(
    commandName: "mutes",
    _superCommandName: Program.name,
    abstract: "List whom you mute.",
    discussion: """
      Mutes are private, and known to your AppView alone; it tells no dates, and does not list whom a list mutes or \
      whose reposts or quotes alone are muted.

        kith mutes

      \(AccountViewRow.help)
      """)

  @OptionGroup(title: "Listing") var options: ListingOptions
  @OptionGroup var common: CommonOptions

  mutating func validate() throws {
    if options.details.contains(.dates) {
      throw ValidationError(
        "No server tells since when somebody is muted; leave --dates, --since and followed-at out.")
    }
  }

  func request(_ wiring: Wiring) async throws -> ListingRequest {
    let account = try await wiring.account()
    return ListingRequest(listing: .mutes(of: .did(account.did)), account: account)
  }
}
