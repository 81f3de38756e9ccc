// SPDX-License-Identifier: Apache-2.0

import KithOperations
import KithRelationships

extension CommonOptions {
  /// The requested format, or the default for the output.
  func format(for descriptor: OutputDescriptor) -> OutputFormat {
    if json { return .json }
    return format ?? (descriptor.isTerminal && fields == nil ? .table : .ndjson)
  }

  /// A printer of rows.
  ///
  /// - Parameter progress: the progress line to clear before rows on the same terminal.
  /// - Throws: ``CommandFault`` for a format that only reports support.
  func printer<Row: PrintableRow>(
    of row: Row.Type, environment: [String: String], progress: ProgressLine? = nil,
    to output: OutputDescriptor = .standardOutput
  ) throws(CommandFault) -> RowPrinter<Row> {
    let format = format(for: output)
    if format.isOfReports { throw CommandFault(.usage, .formatOfReports(format.rawValue)) }
    let positions = try fields.map { names throws(CommandFault) in
      try Self.positions(of: names, among: Row.fieldNames)
    }
    return RowPrinter(
      format: format,
      palette: Palette(isTerminal: output.isTerminal, forbidden: noColor, environment: environment),
      fields: positions, rawCSV: rawCSV, output: LineOutput(to: output, progress: progress))
  }

  /// The positions of fields by their names, which commas separate.
  ///
  /// - Throws: ``CommandFault`` `usage` for an unknown field, and one that is named twice: a JSON object has each
  ///   name once.
  static func positions(of names: String, among known: [String]) throws(CommandFault) -> [Int] {
    var positions: [Int] = []
    for name in names.split(separator: ",", omittingEmptySubsequences: false) {
      guard let position = known.firstIndex(of: String(name)) else {
        throw CommandFault(.usage, .unknownField(String(name), known: known))
      }
      guard !positions.contains(position) else { throw CommandFault(.usage, .repeatedField(String(name))) }
      positions.append(position)
    }
    return positions
  }

  /// A progress line on standard error, if that is a terminal that can repaint a line.
  ///
  /// - Parameter traffic: the current state of the calls.
  func progress(
    _ verb: String, environment: [String: String],
    traffic: @escaping @Sendable () -> ProgressState.Traffic
  ) -> ProgressLine {
    let isWanted = !quiet && environment["TERM"] != "dumb"
    return ProgressLine(
      on: isWanted ? ProgressLine.Canvas(.standardError) : nil, verb: verb, traffic: traffic)
  }

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
    to output: OutputDescriptor = .standardOutput, _ body: (inout RowPrinter<Row>) async throws -> Void
  ) async throws {
    var printer = try printer(of: row, environment: environment, progress: progress, to: output)
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

  /// Prints a plan, and its assumptions to standard error.
  ///
  /// - Throws: ``CommandFault`` if the output cannot be written.
  func print(
    _ plan: CostPlan, concurrency: Int, environment: [String: String],
    to output: OutputDescriptor = .standardOutput
  ) throws {
    var printer = try printer(of: PlanRow.self, environment: environment, to: output)
    for row in PlanRow.rows(plan) { try printer.print(row) }
    try printer.finish()
    if !quiet { StandardError.say(.planAssumptions(plan, concurrency: concurrency)) }
  }

  /// Writes what an operation says to standard error.
  ///
  /// - Parameter line: the progress line to clear before.
  func say(_ note: Note, beside line: ProgressLine? = nil) {
    guard let message = Message(note), !quiet || message.level == .error else { return }
    if let line { line.say(message) } else { StandardError.say(message) }
  }

  /// Reports what a listing leaves out, once it has ended.
  ///
  /// - Throws: ``CommandFault`` if accounts may be missing because of an error. The report names the error
  ///   already, unless it is not wanted.
  func report(_ report: ListingReport, beside line: ProgressLine? = nil) throws(CommandFault) {
    say(.listed(report), beside: line)
    if let fault = fault(of: report.coverage) { throw fault }
  }

  /// The error because of which accounts may be missing from a listing that was reported; nil if there is none.
  func fault(of coverage: ListingCoverage) -> CommandFault? {
    coverage.doubt.map(fault(reported:))
  }

  /// The fault that ends a command because of an error that a report has named already, unless it was not wanted.
  func fault(reported error: any Error) -> CommandFault {
    let fault = CommandFault(any: error) ?? CommandFault(.unavailable, Message(other: error))
    return quiet ? fault : CommandFault(fault.status)
  }
}
