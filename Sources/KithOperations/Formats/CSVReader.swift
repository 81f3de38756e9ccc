// SPDX-License-Identifier: Apache-2.0

/// Reads columns of a CSV file with a header line (RFC 4180): quotes, doubled quotes, line breaks in quotes.
///
/// The separator is a comma, or a semicolon, a tab or a bar if the header line has one and no comma; or the one that a
/// line such as `sep=;` above the header names. Rows whose cells are all empty are skipped, as are blank lines above the
/// header.
///
/// What cannot be read in one way only is an error: text beside a quoted cell, an unclosed quote, more cells than the
/// header has columns.
public struct CSVReader: Sendable {
  /// The cells of the chosen columns, unchanged; empty if the row lacks the column.
  public struct Row: Sendable, Equatable {
    public let cells: [String]
    /// The number of the line where it begins, from 1.
    public let line: Int
  }

  private enum Place {
    case cellStart
    case plain
    case quoted
    /// After a quote inside quotes: the closing quote, or the first half of a doubled one.
    case quoteInQuotes
  }

  /// The longest header line; a longer one is probably not CSV.
  public static let longestHeader = 64 << 10

  private let file: String
  private let choose: @Sendable (CSVHeader) throws(OperationError) -> [Int]
  private var separator: UInt8?
  /// The separator that a line above the header has named.
  private var saidSeparator: UInt8?
  private var isAtStart = true
  private var head: [UInt8] = []
  private var headIsInQuotes = false
  private var headLine = 1
  private var place = Place.cellStart
  private var column = 0
  /// The position of each column in `cells`; nil for columns that are not chosen.
  private var slots: [Int?] = []
  private var cells: [[UInt8]] = []
  /// Whether any cell of the row is not empty.
  private var rowIsFilled = false
  private var line: Int
  private var rowLine = 1
  private var quoteLine = 1
  /// The number of columns in the header line.
  private var width = 0
  /// Whether the cell has only blanks so far.
  private var cellIsBlank = true

  /// - Parameters:
  ///   - line: the number of the header line.
  ///   - choose: returns the indices of the columns to read, from 0.
  public init(
    file: String, line: Int = 1,
    choosing choose: @escaping @Sendable (CSVHeader) throws(OperationError) -> [Int]
  ) {
    self.file = file
    self.line = line
    self.choose = choose
  }

  /// Takes the next piece and returns the completed rows.
  ///
  /// - Throws: ``OperationError`` for a quotation mark that is neither doubled nor around a whole cell, and for cells
  ///   beyond the header; errors of the choice of columns.
  public mutating func received(_ piece: [UInt8]) throws(OperationError) -> [Row] {
    var rows: [Row] = []
    for byte in piece {
      if let separator {
        if let row = try step(byte, separator) { rows.append(row) }
      } else {
        try readHead(byte)
      }
    }
    return rows
  }

  /// The last row, completed by the end of the file.
  ///
  /// - Throws: ``OperationError`` for an unclosed quote; errors of the choice of columns.
  public mutating func ended() throws(OperationError) -> Row? {
    if separator == nil {
      try finishHead()
      if separator == nil { try finishHead() }
    }
    if place == .quoted {
      throw OperationError.unclosedQuote(file: file, line: quoteLine)
    }
    return endRow()
  }

  private mutating func readHead(_ byte: UInt8) throws(OperationError) {
    if head.isEmpty { headLine = line }
    if byte == UInt8(ascii: "\"") { headIsInQuotes.toggle() }
    if byte == UInt8(ascii: "\n") { line += 1 }
    if byte == UInt8(ascii: "\n"), head.allSatisfy({ $0 <= UInt8(ascii: " ") }) {
      head = []
    } else if (byte == UInt8(ascii: "\n") && !headIsInQuotes) || head.count >= Self.longestHeader {
      try finishHead()
    } else {
      head.append(byte)
    }
  }

  private mutating func finishHead() throws(OperationError) {
    if isAtStart, let said = CSVHeader.separator(declaredBy: head) {
      (saidSeparator, isAtStart, head) = (said, false, [])
      return
    }
    if headIsInQuotes { throw OperationError.unclosedQuote(file: file, line: headLine) }
    let header = CSVHeader(head, separator: saidSeparator)
    let chosen = try choose(header)
    slots = header.names.indices.map { chosen.firstIndex(of: $0) }
    cells = chosen.map { _ in [] }
    separator = header.separator
    width = header.names.count
    head = []
    rowLine = line
  }

  private mutating func step(_ byte: UInt8, _ separator: UInt8) throws(OperationError) -> Row? {
    if byte == UInt8(ascii: "\n") { line += 1 }
    switch (place, byte) {
    case (.cellStart, UInt8(ascii: "\"")):
      place = .quoted
      quoteLine = line
    case (.quoted, UInt8(ascii: "\"")): place = .quoteInQuotes
    case (.quoteInQuotes, UInt8(ascii: "\"")):
      try keep(byte)
      place = .quoted
    case (.quoted, _): try keep(byte)
    case (_, separator):
      column += 1
      place = .cellStart
      cellIsBlank = true
    case (_, UInt8(ascii: "\n")): return endRow()
    // Part of the line break, not of a cell.
    case (.cellStart, UInt8(ascii: "\r")), (.quoteInQuotes, UInt8(ascii: "\r")): break
    // Blanks around the quotes are not part of the cell.
    case (.quoteInQuotes, UInt8(ascii: " ")), (.quoteInQuotes, UInt8(ascii: "\t")): break
    case (.quoteInQuotes, _):
      throw OperationError.textBesideQuotes(file: file, line: line)
    case (.plain, UInt8(ascii: "\"")) where cellIsBlank:
      throw OperationError.textBesideQuotes(file: file, line: line)
    default:
      try keep(byte)
      place = .plain
    }
    return nil
  }

  private mutating func keep(_ byte: UInt8) throws(OperationError) {
    if byte > UInt8(ascii: " ") {
      (rowIsFilled, cellIsBlank) = (true, false)
      guard column < width else {
        throw OperationError.tooManyCells(file: file, line: rowLine, columns: width)
      }
    }
    guard column < slots.count, let slot = slots[column], cells[slot].count < LineReader.longestLine else {
      return
    }
    cells[slot].append(byte)
  }

  private mutating func endRow() -> Row? {
    if place == .plain, column < slots.count, let slot = slots[column],
      cells[slot].last == UInt8(ascii: "\r")
    {
      cells[slot].removeLast()
    }
    defer {
      for slot in cells.indices { cells[slot].removeAll(keepingCapacity: true) }
      column = 0
      place = .cellStart
      rowLine = line
      rowIsFilled = false
      cellIsBlank = true
    }
    guard rowIsFilled else { return nil }
    return Row(cells: cells.map { String(decoding: $0, as: UTF8.self) }, line: rowLine)
  }
}

/// Reads one column of a CSV file as entries.
///
/// Column names are compared without case and surrounding white space. A row in which only this cell is empty
/// or missing is an entry with empty text. The apostrophe that `kith` writes before formula-like cells is
/// removed.
public struct CSVColumnReader: TextRecordReader {
  private var reader: CSVReader

  public init(column name: String, file: String) {
    reader = CSVReader(file: file) { header throws(OperationError) in
      [try header.column(named: name, in: file)]
    }
  }

  public mutating func received(_ piece: [UInt8]) throws(OperationError) -> [TextRecord] {
    try reader.received(piece).map(Self.record)
  }

  public mutating func ended() throws(OperationError) -> [TextRecord] {
    try reader.ended().map { [Self.record($0)] } ?? []
  }

  private static func record(_ row: CSVReader.Row) -> TextRecord {
    TextRecord(text: SpreadsheetFormula.undefused(CSVHeader.trimmed(row.cells[0])), line: row.line)
  }
}
