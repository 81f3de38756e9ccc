// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithRelationships

extension CommandContext {
  /// The AppView that `--compare-appview` names.
  ///
  /// - Throws: ``CommandFault`` for a text that is not the URL of a service.
  static func comparedAppView(_ text: String) throws -> ServiceURL {
    try service(text, named: "--compare-appview")
  }

  /// Prints what two AppViews say differently.
  func printDifferences(of comparison: CompareAppViews) async throws {
    let cost = CostReport(self)
    let printer = try OperationPrinter<AppViewDifferenceRow>(self, verb: "compared", countsRows: false)
    let outcome = try await comparison.run(in: workspace, printer.reporter)
    try printer.finish(outcome.rows)
    if let fault = outcome.fault { report(.appViewFailed(outcome.failed, fault)) }
    for stranger in outcome.strangers { report(Message(any: stranger)) }
    if let first = outcome.firstUnresolved { report(.namesNotCompared(outcome.unresolved, first)) }
    if !common.quiet {
      report(.appViewsCompared(outcome))
    }
    if common.verbose { cost.report() }
    try end(outcome)
  }
}
