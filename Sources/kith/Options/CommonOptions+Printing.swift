// SPDX-License-Identifier: Apache-2.0

import KithOperations

extension CommonOptions {
  /// The requested format, or the default for the output.
  func format(for descriptor: OutputDescriptor) -> OutputFormat {
    if json { return .json }
    if case .rows(let format)? = format { return format }
    return descriptor.isTerminal && fields == nil ? .table : .ndjson
  }

  /// A printer of rows.
  ///
  /// - Parameter progress: the progress line to clear before rows on the same terminal.
  /// - Throws: ``CommandFault`` for a format that only reports support.
  func printer<Row: PrintableRow>(
    of row: Row.Type, in process: RunContext, to output: OutputDescriptor, progress: ProgressLine? = nil
  ) throws(CommandFault) -> RowPrinter<Row> {
    if case .page(let format)? = format { throw CommandFault(.usage, .formatOfReports(format.rawValue)) }
    let positions = try fields.map { names throws(CommandFault) in
      try Self.positions(of: names, among: Row.fieldNames)
    }
    return RowPrinter(
      format: format(for: output),
      palette: Palette(isTerminal: output.isTerminal, forbidden: noColor, environment: process.environment),
      fields: positions, rawCSV: rawCSV, time: process.time,
      output: LineOutput(to: output, progress: progress))
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
}
