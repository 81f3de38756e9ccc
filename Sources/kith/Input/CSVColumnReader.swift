// SPDX-License-Identifier: Apache-2.0

/// One column of a CSV file with a header line, by RFC 4180: quotes, doubled quotes, line breaks in quotes.
///
/// The separator is a comma, or a semicolon or a tab where the header line has one and no comma. The
/// column's name is compared without regard to case and white space around it. A row whose cells are all empty is no
/// entry; one in which only this column's is empty, or missing, is an entry without text. Cells that are defused, as
/// those that `kith` writes, are read without their apostrophe.
struct CSVColumnReader: TextRecordReader {
  private enum Place {
    case cellStart
    case plain
    case quoted
    /// After a quote within quotes: either the end of them, or half of a doubled one.
    case quoteInQuotes
  }

  /// No header line is longer; one that is may be no CSV at all.
  private static let longestHeader = 64 << 10

  private let name: String
  private let file: String
  private var header: CSVHeader?
  private var head: [UInt8] = []
  private var headIsInQuotes = false
  private var place = Place.cellStart
  private var column = 0
  private var found: [UInt8] = []
  /// Whether any cell of the row holds something.
  private var rowIsFilled = false
  private var line = 1
  private var rowLine = 1
  private var quoteLine = 1

  init(column: String, file: String) {
    name = column
    self.file = file
  }

  mutating func received(_ piece: [UInt8]) throws(CommandFault) -> [TextRecord] {
    var records: [TextRecord] = []
    for byte in piece {
      if let header {
        if let record = step(byte, header) { records.append(record) }
      } else {
        try readHead(byte)
      }
    }
    return records
  }

  mutating func ended() throws(CommandFault) -> [TextRecord] {
    if header == nil { try finishHead() }
    if place == .quoted {
      throw CommandFault(.badInput, .unclosedQuote(file: file, line: quoteLine))
    }
    return endRow().map { [$0] } ?? []
  }

  private mutating func readHead(_ byte: UInt8) throws(CommandFault) {
    if byte == UInt8(ascii: "\"") { headIsInQuotes.toggle() }
    if byte == UInt8(ascii: "\n") { line += 1 }
    if (byte == UInt8(ascii: "\n") && !headIsInQuotes) || head.count >= Self.longestHeader {
      try finishHead()
    } else {
      head.append(byte)
    }
  }

  private mutating func finishHead() throws(CommandFault) {
    header = try CSVHeader(head, column: name, file: file)
    head = []
    rowLine = line
  }

  private mutating func step(_ byte: UInt8, _ header: CSVHeader) -> TextRecord? {
    if byte == UInt8(ascii: "\n") { line += 1 }
    switch (place, byte) {
    case (.cellStart, UInt8(ascii: "\"")):
      place = .quoted
      quoteLine = line
    case (.quoted, UInt8(ascii: "\"")): place = .quoteInQuotes
    case (.quoteInQuotes, UInt8(ascii: "\"")):
      keep(byte, header)
      place = .quoted
    case (.quoted, _): keep(byte, header)
    case (_, header.separator):
      column += 1
      place = .cellStart
    case (_, UInt8(ascii: "\n")): return endRow()
    default:
      keep(byte, header)
      place = .plain
    }
    return nil
  }

  private mutating func keep(_ byte: UInt8, _ header: CSVHeader) {
    if byte > UInt8(ascii: " ") { rowIsFilled = true }
    if column == header.column, found.count < LineReader.longestLine { found.append(byte) }
  }

  private mutating func endRow() -> TextRecord? {
    defer {
      found.removeAll(keepingCapacity: true)
      column = 0
      place = .cellStart
      rowLine = line
      rowIsFilled = false
    }
    guard rowIsFilled else { return nil }
    let text = CSVHeader.trimmed(String(decoding: found, as: UTF8.self))
    return TextRecord(text: SpreadsheetFormula.undefused(text), line: rowLine)
  }
}
