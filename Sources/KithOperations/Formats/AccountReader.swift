// SPDX-License-Identifier: Apache-2.0

import KithRelationships

/// Reads accounts from a file of names or ndjson rows, one per line, from a JSON array, or from CSV with a known column.
///
/// The first line that is not blank decides which it is.
public struct AccountReader: TextRecordReader {
  private let file: String
  /// The beginning of the file, until its first line is complete.
  private var head: [UInt8] = []
  private var lines: LineReader?
  private var rows: ImportReader?

  public init(file: String) { self.file = file }

  public mutating func received(_ piece: [UInt8]) throws(OperationError) -> [TextRecord] {
    if lines != nil || rows != nil { return try records(of: piece) }
    head += piece
    return try recognizes(isWhole: false) ? try takeHead() : []
  }

  public mutating func ended() throws(OperationError) -> [TextRecord] {
    var records: [TextRecord] = []
    if lines == nil, rows == nil, try recognizes(isWhole: true) { records = try takeHead() }
    if let last = try lines?.ended() { records += last }
    if let last = try rows?.ended() { records += last.map { TextRecord($0) } }
    return records
  }

  private mutating func takeHead() throws(OperationError) -> [TextRecord] {
    defer { head = [] }
    return try records(of: head)
  }

  private mutating func records(of piece: [UInt8]) throws(OperationError) -> [TextRecord] {
    if let records = try lines?.received(piece) { return records }
    return try rows?.received(piece).map { TextRecord($0) } ?? []
  }

  /// Determines the format; false if more of the file is needed.
  ///
  /// - Throws: ``OperationError`` for CSV without a known column of accounts.
  private mutating func recognizes(isWhole: Bool) throws(OperationError) -> Bool {
    let text = head.starts(with: CSVHeader.byteOrderMark) ? head.dropFirst(3) : head[...]
    let remaining = text[ImportReader.startOfFirstLine(in: text)...]
    guard let first = remaining.first(where: { $0 > UInt8(ascii: " ") }) else {
      // Blank lines have to be counted, but not to be kept.
      if head.count >= CSVReader.longestHeader { lines = LineReader() }
      return lines != nil
    }
    if first == UInt8(ascii: "[") {
      rows = ImportReader(file: file)
    } else if first == UInt8(ascii: "{") {
      lines = LineReader()
    } else {
      guard let header = CSVHeader(startOf: remaining, isWhole: isWhole) else { return false }
      let cells = header.names.filter { !$0.isEmpty }
      if cells.count == 1, (try? ActorInput(parsing: cells[0])) != nil {
        // A handle that looks like a column name, such as `user.name`, or that a separator follows.
        lines = LineReader()
      } else if ImportColumns(header).nameAccounts {
        rows = ImportReader(file: file)
      } else if header.names.count > 1 {
        throw OperationError.noAccountColumn(file: file, columns: header.names)
      } else {
        lines = LineReader()
      }
    }
    return true
  }
}
