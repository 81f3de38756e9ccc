// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithCore
import KithOperations
import KithRelationships

/// The option of commands that compare what two AppViews say.
struct AppViewComparison: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Only show where this AppView disagrees with the usual one about these relationships; the repositories say \
      which of them is right.
      """, valueName: "url"))
  var compareAppview: String?

  var isWanted: Bool { compareAppview != nil }

  /// Prints the differences.
  func run(
    of actor: ATIdentifier, about targets: CompareAppViews.Targets, explains: Bool, _ context: CommandContext
  ) async throws {
    let other = try CommandContext.service(compareAppview ?? "", named: "--compare-appview")
    let comparison = CompareAppViews(of: actor, with: other, about: targets)
    if explains {
      let plan = try await comparison.cost(in: context.workspace) { [context] in context.report($0) }
      return try context.print(plan)
    }
    let cost = CostReport(context)
    let printer = try OperationPrinter<AppViewDifferenceRow>(context, verb: "compared", countsRows: false)
    let outcome = try await comparison.run(in: context.workspace, printer.reporter)
    try printer.finish(outcome.rows)
    if let fault = outcome.fault { context.report(.appViewFailed(outcome.failed, fault)) }
    if let first = outcome.firstUnresolved { context.report(.namesNotCompared(outcome.unresolved, first)) }
    if !context.common.quiet {
      context.report(.appViewsCompared(outcome, context.workspace.appview.service, other))
    }
    if context.common.verbose { cost.report() }
    if outcome.unresolved > 0, outcome.fault == nil { throw CommandFault(.notFound) }
    if let fault = outcome.fault {
      throw CommandFault(ExitStatus(worstOf: [fault.error], otherwise: .unavailable))
    }
  }
}
