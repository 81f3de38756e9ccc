// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships
import KithWriting

/// A command that changes the members of a list of the signed-in account.
protocol ListMembersCommand: RowCommand {
  /// The name of the list.
  var list: String { get }
  /// The names of the accounts.
  var names: [String] { get }
  var members: MemberOptions { get }
  /// Listings of further accounts; nil if the command has no such options.
  var sources: AccountSources? { get }
  var options: ChangeOptions { get }
  var network: NetworkOptions { get }

  /// What is done about each account.
  var kind: ChangeListMembers.Kind { get }
}

extension ListMembersCommand {
  var printedRow: (any PrintableRow.Type)? { options.explain ? PlanRow.self : ChangeRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let accounts = try await AccountChoice(names, members, sources, context)
    try await ChangeRun(context: context, options: options)
      .finish(ChangeListMembers(kind, accounts, list: list))
  }

  /// Checks that at least one account is named.
  func validateMembers() throws {
    if names.isEmpty, members.places.isEmpty, sources?.isEmpty ?? true {
      throw ValidationError(
        "No accounts given: name some, or use --from FILE, a listing such as --followers-of ACCOUNT, or - for stdin."
      )
    }
    try members.validate(with: names)
  }
}
