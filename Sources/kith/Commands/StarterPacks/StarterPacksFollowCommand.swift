// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships
import KithWriting

/// `kith starter-packs follow`: follows all members of a starter pack.
struct StarterPacksFollowCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "follow",
    abstract: "Follow all members of a starter pack.",
    discussion: """
      Works like kith follow; your own account is skipped. kith jobs undo undoes it. The list of the pack \
      must be a reference list of the pack's owner, as apps create them. Shows the plan and asks, or needs \
      --yes; also before it reads more than \(StarterPack.mostMembers) members.

        kith starter-packs follow https://bsky.app/starter-pack/alice.test/3k2yihcrp6f2c --dry-run

      \(ChangeRow.help)
      """)

  @Argument(help: ArgumentHelp("The starter pack.", valueName: "starter-pack")) var pack: String

  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { options.explain ? PlanRow.self : ChangeRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    try await ChangeRun(context: context, options: options).finish(FollowStarterPack(pack))
  }
}
