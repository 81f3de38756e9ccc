// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithOperations

/// Prints rows as they arrive, in one of the four formats.
struct RowPrinter<Row: PrintableRow>: ~Copyable {
  /// The number of rows that determine the column widths of a table; later ones are truncated.
  private static var gathered: Int { 200 }
  /// The number of rows that suffice for the widths if the next ones take time.
  private static var enough: Int { 20 }

  /// Whether rows answer typed input and must appear immediately; a table then has fixed column widths.
  var isLive = false

  private let format: OutputFormat
  /// The names of the fields that are printed.
  private let fieldNames: [String]
  private let palette: Palette
  private let time: TimeSource
  private var output: LineOutput
  /// The number of rows so far.
  private(set) var count = 0
  private var encoder: RowEncoder
  /// The last element of the array, held back until a comma or the end follows.
  private var element: [UInt8] = []
  private var waiting: [TableRow] = []
  private var layout: TableLayout?

  /// Whether people read the rows.
  var isTable: Bool { format == .table }

  /// - Parameters:
  ///   - fields: the positions of the fields that machine formats print, in their order; nil for all.
  ///   - rawCSV: whether cells of CSV may begin as formulas do.
  init(
    format: OutputFormat, palette: Palette, fields: [Int]? = nil, rawCSV: Bool = false,
    time: TimeSource = .system,
    output: consuming LineOutput
  ) {
    self.format = format
    fieldNames = fields?.map { Row.fieldNames[$0] } ?? Row.fieldNames
    self.palette = palette
    self.time = time
    encoder = RowEncoder(
      Row.fieldNames,
      style: format == .csv ? .csv(raw: rawCSV, keepsText: output.isFile) : .json,
      selecting: fields)
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
    case .table where Row.headings.isEmpty:
      let lines = ParagraphLayout(columns: output.columns).lines(row.tableRow(at: time.datetime), palette)
      for line in lines { try output.line(line.utf8) }
    case .table:
      waiting.append(row.tableRow(at: time.datetime))
      if layout != nil || waiting.count == Self.gathered { try printWaiting(areAll: false) }
    }
    count += 1
  }

  /// Writes what is ready; the first few rows of a table wait for more, to align them.
  mutating func flush() throws(CommandFault) {
    if isLive || waiting.count >= Self.enough || layout != nil { try printWaiting(areAll: false) }
    try output.flush()
  }

  /// Writes all rows so far, so that they stand above what comes next on the terminal. Later rows of a table are a table
  /// of their own.
  mutating func pause() throws(CommandFault) {
    if format == .table {
      try printWaiting()
      layout = nil
    }
    try output.flush()
  }

  /// Ends the output: closes an array, prints pending rows of a table.
  mutating func finish() throws(CommandFault) {
    switch format {
    case .json: try output.line((count == 0 ? [UInt8(ascii: "[")] : element) + [UInt8(ascii: "]")])
    case .csv where count == 0: try printHeader()
    case .table: try printWaiting()
    case .csv, .ndjson: break
    }
    try output.flush()
  }

  private mutating func printHeader() throws(CommandFault) {
    try output.line(fieldNames.joined(separator: ",").utf8)
  }

  /// The headings for the rows that wait.
  private var headings: [String] {
    guard let first = waiting.first?.firstHeading, waiting.allSatisfy({ $0.firstHeading == first }) else {
      return Row.headings
    }
    return [first] + Row.headings.dropFirst()
  }

  /// - Parameter areAll: whether no more rows follow.
  private mutating func printWaiting(areAll: Bool = true) throws(CommandFault) {
    guard !waiting.isEmpty else { return }
    if layout == nil {
      let least =
        isLive ? Row.leastLive : Row.headings.indices.map { $0 == 0 && !areAll ? Row.leastFirst : 0 }
      let layout = TableLayout(
        headings: headings, rows: waiting, least: least, areAll: areAll, columns: output.columns)
      if let heading = layout.heading(palette) { try output.line(heading.utf8) }
      self.layout = layout
    }
    for row in waiting { for line in layout?.lines(row, palette) ?? [] { try output.line(line.utf8) } }
    waiting.removeAll(keepingCapacity: true)
  }
}
