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

  /// The AppView to compare with; nil if none is named.
  ///
  /// - Throws: ``CommandFault`` for a text that is not the URL of a service.
  func appview() throws -> ServiceURL? {
    try compareAppview.map { try CommandContext.service($0, named: "--compare-appview") }
  }

  /// Prints the differences.
  func print(_ comparison: CompareAppViews, in context: CommandContext) async throws {
    let cost = CostReport(context)
    let printer = try OperationPrinter<AppViewDifferenceRow>(context, verb: "compared", countsRows: false)
    let outcome = try await comparison.run(in: context.workspace, printer.reporter)
    try printer.finish(outcome.rows)
    if let fault = outcome.fault { context.report(.appViewFailed(outcome.failed, fault)) }
    for stranger in outcome.strangers { context.report(Message(any: stranger)) }
    if let first = outcome.firstUnresolved { context.report(.namesNotCompared(outcome.unresolved, first)) }
    if !context.common.quiet {
      context.report(.appViewsCompared(outcome))
    }
    if context.common.verbose { cost.report() }
    try context.end(outcome)
  }
}
