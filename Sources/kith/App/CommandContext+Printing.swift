// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations

extension CommandContext {
  /// Runs an operation and prints its rows, also those before an error.
  ///
  /// - Parameter verb: the participle for a row in the progress line, such as `checked`.
  func print<Operation: KithOperation>(
    _ operation: Operation, verb: String
  ) async throws -> Operation.Outcome where Operation.Row: PrintableRow {
    let printer = try OperationPrinter<Operation.Row>(self, verb: verb)
    let outcome: Operation.Outcome
    do { outcome = try await operation.run(in: workspace, printer.reporter) } catch {
      if (error as? CommandFault)?.status != .readerGone { try printer.finish() }
      throw error
    }
    try printer.finish()
    return outcome
  }

  /// Prints the members of a list.
  func printMembers(of list: ATURI, withHandles: Bool) async throws {
    let cost = CostReport(workspace.meter)
    let doubt = try await print(ListMembers(of: list, withHandles: withHandles), verb: "read")
    if let fault = doubt.map(common.fault(reported:)) { throw fault }
    if common.verbose { cost.say() }
  }
}
