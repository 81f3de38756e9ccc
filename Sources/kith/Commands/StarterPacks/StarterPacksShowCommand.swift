// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Relationships

/// `kith starter-packs show`: whom a starter pack recommends.
struct StarterPacksShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show whom a starter pack recommends.",
    discussion: """
      Each member of its list is a row: list, subject (DID), handle, item, since (in your own).

        kith starter-packs show https://bsky.app/starter-pack/alice.test/3k2yihcrp6f2c
      """)

  @Argument(help: ArgumentHelp("The starter pack.", valueName: "starter-pack")) var pack: String

  @OptionGroup var common: CommonOptions

  func run() async throws {
    let wiring = try Wiring(common, environment: RunContext.current.environment)
    let account = try await wiring.accountIfAny()
    let pack = try await wiring.starterPack(named: pack)
    if !common.quiet {
      StandardError.say(.starterPack(uri: pack.uri, name: pack.name, description: pack.description))
    }
    try await MemberRun(wiring: wiring, account: account, wantsHandles: true).print(
      pack.list)
  }
}
