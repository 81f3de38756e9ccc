// SPDX-License-Identifier: Apache-2.0

/// One column of a CSV file with a header line, by RFC 4180: quotes, doubled quotes, line breaks in quotes.
///
/// The separator is a comma, or a semicolon or a tab where the header line has one and no comma. The
/// column's name is compared without regard to case and white space around it.
struct CSVColumnReader: RecordReader {
  private enum Place {
    case cellStart
    case plain
    case quoted
    /// After a quote within quotes: either the end of them, or half of a doubled one.
    case quoteInQuotes
  }

  private let name: String
  private let file: String
  private var header: [UInt8]? = []
  private var separator = UInt8(ascii: ",")
  private var wanted: Int?
  private var place = Place.cellStart
  private var column = 0
  private var found: [UInt8] = []
  private var line = 1
  private var rowLine = 1

  init(column: String, file: String) {
    name = column
    self.file = file
  }

  mutating func received(_ piece: [UInt8]) throws(CommandFault) -> [TextRecord] {
    var records: [TextRecord] = []
    for byte in piece {
      if let head = header {
        header?.append(byte)
        if byte == UInt8(ascii: "\n") || head.count >= LineReader.longestLine { try readHeader() }
      } else if let record = step(byte) {
        records.append(record)
      }
    }
    return records
  }

  mutating func ended() throws(CommandFault) -> [TextRecord] {
    if header != nil { try readHeader() }
    return endRow().map { [$0] } ?? []
  }

  private mutating func readHeader() throws(CommandFault) {
    var text = String(decoding: header ?? [], as: UTF8.self)
    header = nil
    if text.hasPrefix("\u{FEFF}") { text.removeFirst() }
    if !text.contains(",") {
      separator = UInt8(ascii: text.contains(";") ? ";" : text.contains("\t") ? "\t" : ",")
    }
    let mark = Character(Unicode.Scalar(separator))
    let names = text.split(separator: mark, omittingEmptySubsequences: false).map { cell in
      Self.trimmed(cell.replacing("\"", with: ""))
    }
    wanted = names.firstIndex { $0.lowercased() == Self.trimmed(name).lowercased() }
    guard wanted != nil else {
      throw CommandFault(
        .badInput, "\(file): no column \"\(name)\"; its columns are \(names.joined(separator: ", "))")
    }
    line = 2
    rowLine = 2
  }

  private mutating func step(_ byte: UInt8) -> TextRecord? {
    if byte == UInt8(ascii: "\n") { line += 1 }
    switch (place, byte) {
    case (.cellStart, UInt8(ascii: "\"")): place = .quoted
    case (.quoted, UInt8(ascii: "\"")): place = .quoteInQuotes
    case (.quoteInQuotes, UInt8(ascii: "\"")):
      keep(byte)
      place = .quoted
    case (.quoted, _): keep(byte)
    case (_, separator):
      column += 1
      place = .cellStart
    case (_, UInt8(ascii: "\n")): return endRow()
    default:
      keep(byte)
      place = .plain
    }
    return nil
  }

  private mutating func keep(_ byte: UInt8) {
    if column == wanted, found.count < LineReader.longestLine { found.append(byte) }
  }

  private mutating func endRow() -> TextRecord? {
    defer {
      found.removeAll(keepingCapacity: true)
      column = 0
      place = .cellStart
      rowLine = line
    }
    let text = Self.trimmed(String(decoding: found, as: UTF8.self))
    return text.isEmpty ? nil : TextRecord(text: text, line: rowLine)
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    let start = text.drop { $0.isWhitespace }
    return String(start.prefix(start.count - start.reversed().prefix { $0.isWhitespace }.count))
  }
}
