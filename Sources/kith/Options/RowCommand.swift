// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithOperations

/// A command that is told which process it runs in.
protocol KithCommand: AsyncParsableCommand {
  func run(in process: RunContext) async throws
}

extension KithCommand {
  mutating func run() async throws { try await run(in: .ofProcess()) }
}

/// A command with the common options. Its options alone say what it prints, so a wrong `--fields` or `--format`
/// is reported before the first effect.
protocol RowCommand: KithCommand {
  var common: CommonOptions { get }
  /// The rows that it prints with its options; nil if it prints none.
  var printedRow: (any PrintableRow.Type)? { get }

  /// Checks the output options. Called once, before the command runs.
  ///
  /// - Throws: ``CommandFault`` `usage`.
  func checkOutput() throws(CommandFault)
}

extension RowCommand {
  func checkOutput() throws(CommandFault) { try common.checkFormat(of: printedRow) }
}

extension CommonOptions {
  /// Checks `--format` and `--fields` for the rows of a command; nil for a command that prints none.
  ///
  /// - Throws: ``CommandFault`` `usage` for a format that only reports support, and for fields that are not there.
  func checkFormat(of row: (any PrintableRow.Type)?) throws(CommandFault) {
    if case .page(let format)? = format { throw CommandFault(.usage, .formatOfReports(format.rawValue)) }
    try checkFields(of: row)
  }

  /// Checks `--fields` for the rows of a command; nil for a command that prints none.
  ///
  /// - Throws: ``CommandFault`` `usage` for fields that are not there, or that are named twice.
  func checkFields(of row: (any PrintableRow.Type)?) throws(CommandFault) {
    guard let fields else { return }
    guard let row else { throw CommandFault(.usage, .noFields) }
    _ = try Self.positions(of: fields, among: row.fieldNames)
  }
}
