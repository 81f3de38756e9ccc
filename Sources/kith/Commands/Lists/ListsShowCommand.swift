// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithOperations

/// `kith lists show`: shows the members of a list.
struct ListsShowCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show the members of a list.",
    discussion: """
      Your own lists are read from your repository, complete and current; those of others from the AppView, \
      which leaves out accounts that are suspended or deactivated. Prints one row per member record: list, \
      subject (DID), handle, item (the record), since (only your own lists), status \
      (with --status; accounts that are gone or suspended are the ones to remove), relationship and muted (with \
      --relationship).

        kith lists show Noise --status
        kith lists show https://bsky.app/profile/alice.test/lists/3k2yihcrp6f2c --format csv
      """)

  @Argument(help: "The list.", completion: .ownList) var list: String

  @OptionGroup private var rows: LimitOptions

  var limit: Int? { rows.limit }

  @Flag(help: "Add the status of each account (1 extra call for each that the AppView does not show).")
  var status = false

  @Flag(help: "Add how you and each account are related; takes no extra call.")
  var relationship = false

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { MemberRow.self }

  func validate() throws {
  }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let uri = try await context.workspace.list(named: list, of: try await context.workspace.accountIfAny())
    var members = ListMembers(of: uri, withHandles: true)
    (members.limit, members.wantsStatus, members.wantsRelationship) = (limit, status, relationship)
    try await context.print(members)
  }
}
