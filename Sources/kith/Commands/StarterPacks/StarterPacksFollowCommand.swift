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

  var printedRow: (any PrintableRow.Type)? { options.cost.explain ? PlanRow.self : ChangeRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let account = try await context.workspace.account()
    if options.cost.explain {
      var estimate = try await context.estimate(options, as: account, reading: [.edges(.follow)])
      try await estimate.addNaming(of: pack)
      try await estimate.addMembers(listedBy: try await ownPack(context).list) { .follow($0) }
      return try context.print(try await estimate.plan())
    }
    let pack = try await ownPack(context)
    var requests: [RequestedChange] = []
    var readsAll = options.yes || options.dryRun
    let members = Listings(account.appview).members(of: pack.list) { purpose in
      guard purpose == .refer else { throw Self.foreignList(pack) }
    }
    var iterator = members.makeAsyncIterator()
    while let member = try await iterator.next() {
      if member.account == account.did { continue }
      // Ask before reading the rest: the owner can make the list arbitrarily long.
      if requests.count == StarterPack.mostMembers, !readsAll {
        try await context.confirmation.require(
          "Read all of a list with more than \(StarterPack.mostMembers) members?",
          or: "look with --dry-run first")
        readsAll = true
      }
      requests.append(
        RequestedChange(
          member.handle?.description ?? member.account.description, .success(.follow(member.account))))
    }
    try context.report(ListingReport(members.listing, iterator.coverage))
    guard !requests.isEmpty else {
      let hidden = iterator.coverage.missing
      throw hidden > 0
        ? CommandFault(.unavailable, .noMemberShown(pack.uri, hidden))
        : CommandFault(.notFound, .emptyStarterPack(pack.uri))
    }
    let run = ChangeRun(context: context, options: options, verb: FollowCommand.verb, choice: .found)
    try await run.finish(requests, as: account)
  }

  /// The pack; its list must belong to its owner.
  private func ownPack(_ context: CommandContext) async throws -> StarterPack {
    let pack = try await context.workspace.starterPack(named: pack)
    guard pack.ownsList else { throw Self.foreignList(pack) }
    return pack
  }

  private static func foreignList(_ pack: StarterPack) -> CommandFault {
    CommandFault(.brokenProtocol, .foreignPackList(pack.uri, pack.list))
  }
}
