// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithCore
import KithOperations
import KithRelationships

/// A command that lists accounts.
protocol ListingCommand: RowCommand {
  var options: ListingOptions { get }
  var network: NetworkOptions { get }

  /// The listings and their filters: one for each graph.
  func queries(_ context: CommandContext) async throws -> [ListingQuery]

  /// The cost, if it is not that of listing the accounts of the query.
  func plan(_ context: CommandContext) async throws -> CostPlan?
}

extension ListingCommand {
  var printedRow: (any PrintableRow.Type)? { options.explain ? PlanRow.self : AccountViewRow.self }

  func plan(_ context: CommandContext) async throws -> CostPlan? { nil }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let now = Datetime(at: context.time.instant)
    // Invalid options are reported before any call.
    let segments = try await context.workspace.segments(namedIn: options.predicate)
    _ = try options.predicate(narrowing: nil, now: now, segments: segments)
    let queries = try await queries(context).map { query in
      var query = query
      query.predicate = try options.predicate(narrowing: query.predicate, now: now, segments: segments)
      return query
    }
    for case .graph(let listing) in queries.lazy.map(\.listing) {
      if options.cursor != nil { throw CommandFault(.usage, .cursorOfAnotherGraph(listing.graph)) }
    }
    try context.workspace.checkIndex(for: queries)
    if options.explain, let plan = try await plan(context) {
      return try context.print(plan)
    }
    var listings = queries.map { query in
      ListAccounts(
        query, details: options.details, limit: options.limit, from: options.cursor, sortedBy: options.sort)
    }
    if options.explain {
      var plan = CostPlan()
      for listing in listings {
        plan = plan + (try await listing.cost(in: context.workspace) { [context] in context.report($0) })
      }
      return try context.print(plan)
    }
    let cost = CostReport(context)
    let printer = try OperationPrinter<AccountViewRow>(context, verb: "listed")
    var outcomes: [ListAccounts.Outcome] = []
    var left = options.limit
    for place in listings.indices where left != 0 {
      listings[place].limit = left
      let outcome = try await listings[place].run(in: context.workspace, printer.reporter)
      outcomes.append(outcome)
      left = left.map { $0 - outcome.rows.count }
      if outcome.rows.isClosed || outcome.rows.interruption != nil { break }
    }
    try printer.finish(isClosed: outcomes.contains { $0.rows.isClosed })
    try conclude(outcomes, isCut: outcomes.count < listings.count, cost, context)
  }

  /// Says what the rows do not.
  ///
  /// - Parameter isCut: whether graphs were left out, because there are enough rows.
  /// - Throws: what ended the listing; ``CommandFault`` if accounts may be missing because of an error.
  private func conclude(
    _ outcomes: [ListAccounts.Outcome], isCut: Bool, _ cost: CostReport, _ context: CommandContext
  ) throws {
    guard let last = outcomes.last else { return }
    if last.rows.isClosed, let failure = last.rows.interruption { throw failure }
    for outcome in outcomes {
      let coverage = outcome.report.coverage
      if case .follows = outcome.report.listing, options.cursor != nil, outcome.isAtEnd, !common.quiet {
        context.report(.listingContinued)
      }
      // A partial listing says nothing about the whole.
      if outcome.isAtEnd || coverage.fault != nil
        || coverage.undecided + coverage.unseen + coverage.deleted > 0
      {
        context.report(.listed(outcome.report))
      }
    }
    let count = outcomes.reduce(0) { $0 + $1.rows.count }
    if !common.quiet, last.rows.interruption == nil || count > 0 {
      context.report(
        .listingSummary(last, rows: count, isCut: isCut, cost.cost, elapsed: cost.elapsed))
    }
    if common.verbose { cost.report() }
    if last.rows.interruption != nil { try context.end(last) }
    for outcome in outcomes {
      let doubt = outcome.report.coverage.doubt
      try context.end(outcome, saying: doubt.flatMap { context.fault(reported: $0).message })
    }
  }
}
