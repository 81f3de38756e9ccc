// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships
import KithWriting

struct FriendsSyncCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Follow the accounts that have allowed it, and withdraw requests that have ended.",
    discussion: """
      Reads what became of each of your requests, one call or two for each.

        kith friends sync --dry-run
        kith friends sync

      \(ChangeRow.help)
      """)

  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  private static let verb = ChangeVerb(
    name: "friends sync", participle: "changed", imperative: "Follow, or withdraw the request to,",
    namesEachIntent: true)

  var printedRow: (any PrintableRow.Type)? { ChangeRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let account = try await context.workspace.account()
    let sync = try await SyncFriends(for: account, in: context.workspace)
    if !common.quiet || sync.unknown > 0 { context.report(.friendsSynced(sync)) }
    let run = ChangeRun(context: context, options: options, verb: Self.verb)
    try await run.finish(sync.requests, as: account)
    if let fault = sync.fault { throw context.fault(reported: fault) }
  }
}
