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

  /// The listing and its filter.
  func query(_ context: CommandContext) async throws -> ListingQuery

  /// The cost, if it is not that of listing the accounts of the query.
  func plan(_ context: CommandContext) async throws -> CostPlan?
}

extension ListingCommand {
  var printedRow: (any PrintableRow.Type)? { options.cost.explain ? PlanRow.self : AccountViewRow.self }

  func plan(_ context: CommandContext) async throws -> CostPlan? { nil }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let now = Datetime(at: context.time.instant)
    // Invalid options are reported before any call.
    let segments = try await context.workspace.segments(namedIn: options.predicate)
    _ = try options.predicate(narrowing: nil, now: now, segments: segments)
    var query = try await query(context)
    query.predicate = try options.predicate(narrowing: query.predicate, now: now, segments: segments)
    if options.cost.explain, let plan = try await plan(context) {
      return try context.print(plan)
    }
    let listing = ListAccounts(
      query, details: options.details, limit: options.limit, from: options.cursor, sortedBy: options.sort)
    if options.cost.explain {
      let plan = try await listing.cost(in: context.workspace) { [context] in context.report($0) }
      return try context.print(plan)
    }
    let cost = CostReport(context)
    let printer = try OperationPrinter<AccountViewRow>(context, verb: "listed")
    let outcome = try await listing.run(in: context.workspace, printer.reporter)
    try printer.finish(isClosed: outcome.rows.isClosed)
    try conclude(outcome, cost, context)
  }

  /// Says what the rows do not.
  ///
  /// - Throws: what ended the listing; ``CommandFault`` if accounts may be missing because of an error.
  private func conclude(
    _ outcome: ListAccounts.Outcome, _ cost: CostReport, _ context: CommandContext
  ) throws {
    let coverage = outcome.report.coverage
    if outcome.rows.isClosed, let failure = outcome.rows.interruption { throw failure }
    if case .follows = outcome.report.listing, options.cursor != nil, outcome.isAtEnd, !common.quiet {
      context.report(.listingContinued)
    }
    // A partial listing says nothing about the whole.
    if outcome.isAtEnd || coverage.fault != nil
      || coverage.undecided + coverage.unseen + coverage.deleted > 0
    {
      context.report(.listed(outcome.report))
    }
    if !common.quiet, outcome.rows.interruption == nil || outcome.rows.count > 0 {
      context.report(.listingSummary(outcome, cost.cost, elapsed: cost.elapsed))
    }
    if common.verbose { cost.report() }
    if let failure = outcome.rows.interruption { throw failure }
    if let fault = context.fault(of: coverage) { throw fault }
  }
}
