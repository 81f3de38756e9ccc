// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships
import KithWriting

struct FriendsAudienceCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "audience",
    abstract: "Keep a list of yours equal to your friends by consent.",
    discussion: """
      Adds friends who are not on the list, and removes members who are no friends. Accounts of which it could not be \
      found out are left as they are. Other apps can use the list, for a feed or for who may reply. Lists are public.

        kith friends audience Friends --dry-run
        kith friends audience Friends --yes

      \(ChangeRow.help)
      """)

  @Argument(help: "The list, by its name, AT-URI or URL.", completion: .ownList) var list: String

  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  private static let verb = ChangeVerb(
    name: "friends audience", participle: "changed", isDestructive: true,
    imperative: "Add to the list, or remove from it,",
    namesEachIntent: true)

  var printedRow: (any PrintableRow.Type)? { ChangeRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let account = try await context.workspace.account()
    let list = try await context.workspace.list(named: list, of: account)
    let audience = try await FriendAudience(of: list, for: account, in: context.workspace)
    if !common.quiet || audience.undecided > 0 { context.report(.audienceCompared(audience)) }
    let run = ChangeRun(context: context, options: options, verb: Self.verb)
    try await run.finish(audience.requests, as: account)
    if let fault = audience.fault { throw context.fault(reported: fault) }
  }
}
