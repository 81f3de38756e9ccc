// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithOperations
import KithRelationships

/// `kith starter-packs show`: shows the members of a starter pack.
struct StarterPacksShowCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show the members of a starter pack.",
    discussion: """
      Prints one row per member: list, subject (DID), handle, item, since (only your own packs), \
      relationship and muted (with --relationship).

        kith starter-packs show "Our people"
        kith starter-packs show alice.test/3k2yihcrp6f2c
      """)

  @Argument(help: ArgumentHelp("The starter pack.", valueName: "starter-pack")) var pack: String

  @OptionGroup var rows: LimitOptions

  @Flag(help: "Add how you and each account are related; takes no extra call.")
  var relationship = false

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { MemberRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let pack = try await context.workspace.starterPack(named: pack)
    if !common.quiet, pack.name ?? pack.description != nil {
      context.report(.starterPack(uri: pack.uri, name: pack.name, description: pack.description))
    }
    var members = ListMembers(of: pack.list, withHandles: true)
    (members.limit, members.wantsRelationship) = (rows.limit, relationship)
    try await context.print(members)
  }
}
