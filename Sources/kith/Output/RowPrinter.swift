// SPDX-License-Identifier: Apache-2.0

/// Prints rows as they come, in one of the four formats.
struct RowPrinter<Row: PrintableRow>: ~Copyable {
  /// Rows that are gathered to find out how wide a table's columns must be; later ones are cut to fit.
  private static var gathered: Int { 200 }
  /// Rows that tell enough about the widths when the next ones have to be waited for.
  private static var enough: Int { 20 }
  /// A wider cell is cut, but the last of a row.
  private static var widestCell: Int { 60 }
  /// No cell is cut to less, however narrow the terminal: every `did:plc` stays whole.
  private static var narrowestCut: Int { 32 }

  /// Whether rows answer what somebody types, and must appear before the next is typed: then a table's columns
  /// have a width beforehand instead of that of the first rows.
  var isLive = false

  /// Enough for the words of every column but the first.
  private static var liveColumn: Int { 11 }

  private let format: OutputFormat
  private let palette: Palette
  private let widestCell: Int
  private var output: LineOutput
  private var count = 0
  private var encoder: RowEncoder
  /// The last element of an array, until it is known whether a comma or the end follows.
  private var element: [UInt8] = []
  private var waiting: [TableRow] = []
  private var widths: [Int] = []

  /// - Parameter rawCSV: whether cells of CSV may begin as formulas do.
  init(format: OutputFormat, palette: Palette, rawCSV: Bool = false, output: consuming LineOutput) {
    self.format = format
    self.palette = palette
    widestCell = max(Self.narrowestCut, min(Self.widestCell, (output.columns ?? .max) / 2))
    encoder = RowEncoder(
      Row.fieldNames,
      style: format == .csv ? .csv(raw: rawCSV, keepsText: !output.isTerminal) : .json)
    self.output = output
  }

  mutating func print(_ row: Row) throws(CommandFault) {
    switch format {
    case .ndjson:
      encoder.encode(row)
      try output.line(encoder.bytes)
    case .json:
      encoder.encode(row)
      if count > 0 { try output.line(element + [UInt8(ascii: ",")]) }
      element = (count == 0 ? [UInt8(ascii: "[")] : []) + Array(encoder.bytes)
    case .csv:
      if count == 0 { try printHeader() }
      encoder.encode(row)
      try output.line(encoder.bytes)
    case .table, .html, .md, .svg:
      waiting.append(row.tableRow)
      if count >= Self.gathered || waiting.count == Self.gathered { try printWaiting(areAll: false) }
    }
    count += 1
  }

  /// Hands over to the reader what is ready; a few rows of a table wait for more, to be aligned with them.
  mutating func flush() throws(CommandFault) {
    if isLive || waiting.count >= Self.enough || !widths.isEmpty { try printWaiting(areAll: false) }
    try output.flush()
  }

  /// Ends the output: an array is closed, a table that was gathered is printed.
  mutating func finish() throws(CommandFault) {
    switch format {
    case .json: try output.line((count == 0 ? [UInt8(ascii: "[")] : element) + [UInt8(ascii: "]")])
    case .csv where count == 0: try printHeader()
    case .table: try printWaiting()
    default: break
    }
    try output.flush()
  }

  private mutating func printHeader() throws(CommandFault) {
    try output.line(Row.fieldNames.joined(separator: ",").utf8)
  }

  /// - Parameter areAll: whether no row follows that could be wider.
  private mutating func printWaiting(areAll: Bool = true) throws(CommandFault) {
    guard !waiting.isEmpty else { return }
    if widths.isEmpty {
      widths = Row.headings.indices.map { column in
        let cells = waiting.map {
          column < $0.cells.count - 1 ? TerminalText.width($0.cells[column].text) : 0
        }
        let least = column == 0 ? (areAll ? 0 : Self.narrowestCut) : isLive ? Self.liveColumn : 0
        return min(widestCell, max(least, TerminalText.width(Row.headings[column]), cells.max() ?? 0))
      }
      try output.line(line(TableRow(cells: Row.headings.map { TableRow.Cell($0, .faint) })).utf8)
    }
    for row in waiting { try output.line(line(row).utf8) }
    waiting.removeAll(keepingCapacity: true)
  }

  private func line(_ row: TableRow) -> String {
    var line = ""
    // No spaces stand at the end of a line, for empty cells neither.
    let filled = row.cells.prefix((row.cells.lastIndex { !$0.text.isEmpty } ?? -1) + 1)
    for (column, cell) in filled.enumerated() {
      if column == filled.count - 1 {
        line += palette.paint(cell.text, cell.colour)
      } else {
        let text = TerminalText.truncated(cell.text, to: widths[column])
        line += palette.paint(text, cell.colour)
        line += String(repeating: " ", count: widths[column] - TerminalText.width(text) + 2)
      }
    }
    return line
  }
}
