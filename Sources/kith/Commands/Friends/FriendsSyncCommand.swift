// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships
import KithWriting

struct FriendsSyncCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract:
      "Follow the accounts that have allowed it, and tidy up requests and acceptances that have ended.",
    discussion: """
      Reads what became of each of your requests, one call or two for each, and whether the requests that you have \
      accepted are still there, one call for each. Follows the accounts that have allowed it: once for each acceptance, \
      and not if you have unfollowed or blocked the account since. Withdraws requests that were not accepted in time. \
      Removes your acceptances of requests that were withdrawn. Shows the plan and asks if it is about more than one \
      account; a timer needs --yes.

        kith friends sync --dry-run
        kith friends sync

      \(ChangeRow.help)
      """)

  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { options.explain ? PlanRow.self : ChangeRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    try await ChangeRun(context: context, options: options).finish(SyncFriends())
  }
}
