// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithCore
import KithOperations
import KithRelationships
import KithWriting

/// A command that changes relationships of the signed-in account with other accounts.
protocol ActorChangeCommand: RowCommand {
  /// The verb for rows, questions and jobs.
  static var verb: ChangeVerb { get }
  /// The accounts to change.
  var actors: ActorArguments { get }
  var sources: AccountSources { get }
  var options: ChangeOptions { get }
  var network: NetworkOptions { get }
  /// The time after which the change is undone; nil for a permanent change.
  var lifetime: DurationOption? { get }

  /// The change for one account.
  func change(_ actor: DID) -> ChangeIntent

  /// The graphs in which it is made; only for follows.
  var graphs: [FollowGraph] { get }

  /// The change for one account in one of the graphs.
  func change(_ actor: DID, in graph: FollowGraph) -> ChangeIntent

  /// Removes from a plan what the options exclude.
  var narrowing: @Sendable (PlannedChange) -> PlannedChange { get }

  /// Makes the changes of the selected accounts, and finds out what they depend on besides the own records.
  func prepare(
    _ found: SelectedAccounts, as account: AuthorizedAccount, _ context: CommandContext
  ) async throws -> PreparedChanges

  /// Adds the cost of ``prepare(_:as:_:)``.
  func addPreparation(to plan: inout CostPlan)
}

/// The changes of a command, with what was found out before they are planned.
struct PreparedChanges {
  var requests: [RequestedChange]
  var narrowing: @Sendable (PlannedChange) -> PlannedChange = { $0 }
  /// What is said about the plan before it is carried out.
  var preview: (@Sendable (ChangePlan) -> [Message])?
}

extension ActorChangeCommand {
  var printedRow: (any PrintableRow.Type)? { options.cost.explain ? PlanRow.self : ChangeRow.self }

  var lifetime: DurationOption? { nil }

  var graphs: [FollowGraph] { [.bluesky] }

  func change(_ actor: DID, in graph: FollowGraph) -> ChangeIntent { change(actor) }

  var narrowing: @Sendable (PlannedChange) -> PlannedChange { { $0 } }

  func prepare(
    _ found: SelectedAccounts, as account: AuthorizedAccount, _ context: CommandContext
  ) async throws -> PreparedChanges {
    PreparedChanges(requests: found.requests(in: graphs, change), narrowing: narrowing)
  }

  func addPreparation(to plan: inout CostPlan) {}

  mutating func validate() throws {
    if actors.isEmpty, sources.isEmpty {
      throw ValidationError(
        "No accounts given: name some, or use --from FILE, a listing such as --followers-of ACCOUNT, or - for stdin."
      )
    }
  }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let predicate = try await actors.selection.filter(context)
    let account = try await context.workspace.account()
    let named = TargetStream(
      origins: try actors.input.origins(
        with: try await context.workspace.origins(naming: actors.names), in: process))
    let excluded = try actors.selection.exclusions(in: process)
    let listings = try await sources.queries(context)
    if options.cost.explain {
      var estimate = try await context.estimate(
        options, as: account,
        reading: graphs.reduce(into: []) { $0.formUnion(change(account.did, in: $1).needs) })
      try await context.add(named, to: &estimate, skippingInvalid: actors.input.skipInvalid, change)
      for names in excluded { try await estimate.addNames(of: names) }
      for query in listings { try await estimate.add(query, change) }
      for finding in try await sources.findings(context) { try await estimate.add(finding, change) }
      if let predicate { estimate.add(predicate) }
      let first = estimate
      for graph in graphs.dropFirst() {
        estimate.addChanges(of: first) { intent in intent.account.map { change($0, in: graph) } ?? intent }
      }
      var plan = try await estimate.plan()
      addPreparation(to: &plan)
      return try context.print(plan)
    }
    let people = TargetStream(origins: try await sources.found(context))
    let selection = AccountSelection(
      [.names(named), .names(people)] + listings.map { context.workspace.source(of: $0, as: account) },
      excluding: excluded, where: predicate)
    let found = try await context.workspace.accounts(
      of: selection, as: account, skippingInvalid: actors.input.skipInvalid
    ) { [context] in context.report($0) }
    actors.selection.report(found, context, isFiltered: !listings.isEmpty)
    let prepared = try await prepare(found, as: account, context)
    var run = ChangeRun(
      context: context, options: options, verb: Self.verb, lifetime: lifetime?.duration)
    run.preview = prepared.preview
    try await run.finish(prepared.requests, as: account, narrowing: prepared.narrowing)
  }
}
