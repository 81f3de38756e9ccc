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

  /// What is looked up for notes while the accounts are found and the change is planned and sent; nil for nothing.
  func remains(as account: AuthorizedAccount, _ context: CommandContext) -> OtherRecordsOfBlocked?

  /// Makes the changes of the selected accounts, and finds out what they depend on besides the own records.
  func prepare(
    _ found: SelectedAccounts, as account: AuthorizedAccount, _ context: CommandContext
  ) async throws -> PreparedChanges

  /// Adds the cost of ``prepare(_:as:_:)``.
  func addPreparation(to plan: inout CostPlan)
}

/// The changes of a command, with what is found out before or while they are planned.
struct PreparedChanges {
  /// Thrown by ``narrowing`` if something has to be asked first; nothing was journaled then.
  struct HasQuestion: Error {}

  var requests: [RequestedChange]
  /// Removes from a plan what is not wanted. It may wait for what is found out beside the planning.
  var narrowing: @Sendable (PlannedChange) async throws -> PlannedChange = { $0 }
  /// What is found out beside the planning; it is cancelled once the change is made.
  var beside: @Sendable () async -> Void = {}
  /// Asks after ``HasQuestion``, and returns the changes to make then.
  var answered: @Sendable () async throws -> PreparedChanges = { throw HasQuestion() }
  /// What is said about the plan before it is carried out.
  var preview: (@Sendable (ChangePlan) -> [Message])?
  /// What to say in the question about a plan that needs an answer; nil if it needs none.
  var concern: @Sendable (ChangePlan) -> String? = { _ in nil }
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

  func remains(as account: AuthorizedAccount, _ context: CommandContext) -> OtherRecordsOfBlocked? { nil }

  func addPreparation(to plan: inout CostPlan) {}

  mutating func validate() throws { try checkActors() }

  /// Checks that there are accounts to change.
  func checkActors() throws {
    if actors.isEmpty, sources.isEmpty {
      throw ValidationError(
        "No accounts given: name some, or use --from FILE, a listing such as --followers-of ACCOUNT, or - for stdin."
      )
    }
    if !sources.knownFollowersOf.isEmpty, let graph = graphs.first(where: { $0 != .bluesky }) {
      throw ValidationError(
        "--known-followers-of is about Bluesky, and --graph \(graph.name) is not; pipe kith known-followers into the command if that is meant."
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
    let listings = try await sources.queriesOfNoGraph(context)
    let listingsOfGraphs = try await listingsOfGraphs(context)
    if options.cost.explain {
      var estimate = try await context.estimate(
        options, as: account,
        reading: graphs.reduce(into: []) { $0.formUnion(change(account.did, in: $1).needs) })
      try await context.add(named, to: &estimate, skippingInvalid: actors.input.skipInvalid, change)
      for names in excluded { try await estimate.addNames(of: names) }
      for query in listings { try await estimate.add(query, change) }
      for finding in try await sources.findings(context) { try await estimate.add(finding, change) }
      let first = estimate
      for graph in graphs.dropFirst() {
        estimate.addChanges(of: first) { intent in intent.account.map { change($0, in: graph) } ?? intent }
      }
      for (graph, listings) in listingsOfGraphs {
        for query in listings { try await estimate.add(query) { change($0, in: graph) } }
      }
      if let predicate { estimate.add(predicate) }
      var plan = try await estimate.plan()
      addPreparation(to: &plan)
      return try context.print(plan)
    }
    let remains = remains(as: account, context)
    async let _: Void? = remains?.look()
    let people = TargetStream(origins: try await sources.found(context))
    var selection = AccountSelection(
      [.names(named), .names(people)] + listings.map { context.workspace.source(of: $0, as: account) },
      excluding: excluded, where: predicate)
    // The only graph has all accounts; with several, each has those of its own listings besides.
    let ofEach = graphs.count > 1 ? listingsOfGraphs : []
    if ofEach.isEmpty {
      selection.sources += listingsOfGraphs.flatMap { $0.listings }.map(AccountSelection.Source.listing)
    } else {
      // A stream can be read once only.
      selection.exclusions = []
      for names in excluded { selection.exclusions.append(try await names.kept()) }
    }
    var found = try await accounts(of: selection, as: account, context)
    for (graph, listings) in ofEach {
      selection.sources = listings.map(AccountSelection.Source.listing)
      found.add(try await accounts(of: selection, as: account, context), in: graph)
    }
    actors.selection.report(found, context, isFiltered: !listings.isEmpty || !listingsOfGraphs.isEmpty)
    let prepared = try await prepare(found, as: account, context)
    async let _: Void = prepared.beside()
    var run = ChangeRun(
      context: context, options: options, verb: Self.verb, choice: sources.choice,
      lifetime: lifetime?.duration)
    run.preview = prepared.preview
    run.concern = prepared.concern
    run.remains = remains
    do {
      try await run.finish(prepared.requests, as: account, narrowing: prepared.narrowing)
    } catch is PreparedChanges.HasQuestion {
      let answered = try await prepared.answered()
      try await run.finish(answered.requests, as: account, narrowing: answered.narrowing)
    }
  }

  /// The requested listings of follows, in each graph of the change.
  private func listingsOfGraphs(
    _ context: CommandContext
  ) async throws -> [(graph: FollowGraph, listings: [ListingQuery])] {
    guard sources.areOfGraph else { return [] }
    var found: [(graph: FollowGraph, listings: [ListingQuery])] = []
    for graph in graphs { found.append((graph, try await sources.queriesOfGraph(graph, context))) }
    return found
  }

  private func accounts(
    of selection: AccountSelection, as account: AuthorizedAccount, _ context: CommandContext
  ) async throws -> SelectedAccounts {
    try await context.workspace.accounts(
      of: selection, as: account, skippingInvalid: actors.input.skipInvalid
    ) { [context] in context.report($0) }
  }
}
