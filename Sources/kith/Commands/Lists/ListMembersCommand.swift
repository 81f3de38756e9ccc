// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships
import KithWriting

/// A command that changes the members of a list of the signed-in account.
protocol ListMembersCommand: RowCommand {
  /// The verb for rows, questions and jobs.
  static var verb: ChangeVerb { get }
  /// The name of the list.
  var list: String { get }
  /// The names of the accounts.
  var names: [String] { get }
  var members: MemberOptions { get }
  /// Listings of further accounts; nil if the command has no such options.
  var sources: AccountSources? { get }
  var options: ChangeOptions { get }
  var network: NetworkOptions { get }

  /// The change for one account.
  func change(_ actor: DID, _ list: ATURI) -> ListChange
}

extension ListMembersCommand {
  var printedRow: (any PrintableRow.Type)? { options.cost.explain ? PlanRow.self : ChangeRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let predicate = try await members.selection.filter(context)
    let account = try await context.workspace.account()
    let excluded = try members.selection.exclusions(in: process)
    if options.cost.explain {
      var estimate = try await context.estimate(options, as: account, reading: [.lists])
      let list = try await estimate.addNaming(of: list)
      try await context.add(
        members, names, sources, excluding: excluded, where: predicate, to: &estimate
      ) { .list(change($0, list)) }
      return try context.print(try await estimate.plan())
    }
    let found = try await context.accounts(
      members, naming: names, sources, excluding: excluded, where: predicate, as: account)
    let list = try await context.workspace.list(named: list, of: account)
    let requests = found.requests { .list(change($0, list)) }
    let run = ChangeRun(
      context: context, options: options, verb: Self.verb, choice: members.choice(beside: sources))
    try await run.finish(requests, as: account)
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
