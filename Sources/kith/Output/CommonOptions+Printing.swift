// SPDX-License-Identifier: Apache-2.0

extension CommonOptions {
  /// Prints a single row to standard output.
  func print<Row: PrintableRow>(_ row: Row, environment: [String: String]) throws(CommandFault) {
    var printer = try printer(of: Row.self, environment: environment)
    try printer.print(row)
    try printer.finish()
  }

  /// Prints rows to standard output; rows before a failure are still printed.
  ///
  /// - Throws: errors of the body; ``CommandFault`` if the output cannot be written.
  func printing<Row: PrintableRow>(
    _ row: Row.Type, environment: [String: String], progress: ProgressLine? = nil,
    _ body: (inout RowPrinter<Row>) async throws -> Void
  ) async throws {
    var printer = try printer(of: row, environment: environment, progress: progress)
    do {
      try await body(&printer)
    } catch {
      progress?.end()
      if (error as? CommandFault)?.status != .readerGone { try printer.finish() }
      throw error
    }
    progress?.end()
    try printer.finish()
  }
}
