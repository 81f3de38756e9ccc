// SPDX-License-Identifier: Apache-2.0

import KithRelationships

/// The header line of a CSV file: separator and column names.
public struct CSVHeader: Sendable, Equatable {
  public let separator: UInt8
  /// The column names, trimmed.
  public let names: [String]

  /// Reads the header line, without the line break at its end.
  ///
  /// - Parameter separator: the separator, if a line above the header names it.
  public init(_ bytes: [UInt8], separator: UInt8? = nil) {
    let bytes = bytes.starts(with: Self.byteOrderMark) ? bytes.dropFirst(3) : bytes[...]
    let candidates = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t"), UInt8(ascii: "|")]
    self.separator =
      separator ?? candidates.first { Self.cells(bytes, separator: $0).count > 1 } ?? candidates[0]
    names = Self.cells(bytes, separator: self.separator)
  }

  /// Reads the header line at the beginning of a file; nil if more of the file is needed.
  ///
  /// - Parameter isWhole: whether nothing follows.
  public init?(startOf file: ArraySlice<UInt8>, isWhole: Bool) {
    var remaining = file
    var separator: UInt8?
    while true {
      let end = remaining.firstIndex(of: UInt8(ascii: "\n"))
      guard let end = end ?? (isWhole || file.count >= CSVReader.longestHeader ? remaining.endIndex : nil)
      else {
        return nil
      }
      let line = Array(remaining[..<end])
      guard separator == nil, let said = Self.separator(declaredBy: line) else {
        self.init(line, separator: separator)
        return
      }
      separator = said
      remaining = remaining[min(end + 1, remaining.endIndex)...]
    }
  }

  /// The separator in a line such as `sep=;`, which spreadsheets write above the header; nil for any other line.
  public static func separator(declaredBy line: [UInt8]) -> UInt8? {
    let line = line.starts(with: byteOrderMark) ? line.dropFirst(3) : line[...]
    let text = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    guard text.count == 5, text.starts(with: "sep=".utf8) else { return nil }
    return text.last
  }

  public static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The column of a name, from 0.
  ///
  /// - Throws: ``OperationError`` with the existing columns, and if several have the name.
  public func column(named name: String, in file: String) throws(OperationError) -> Int {
    let wanted = Self.trimmed(name).lowercased()
    let columns = names.indices.filter { names[$0].lowercased() == wanted }
    if let column = columns.first {
      guard columns.count == 1 else {
        throw OperationError.repeatedColumn(names[column], file: file)
      }
      return column
    }
    // A number counts columns from 1.
    guard let number = Int(wanted), number > 0, names.indices.contains(number - 1) else {
      throw OperationError.noColumn(name, file: file, columns: names)
    }
    guard (try? ActorInput(parsing: names[number - 1])) == nil else {
      throw OperationError.noHeaderLine(names[number - 1], file: file)
    }
    return number - 1
  }

  public static func trimmed(_ text: some StringProtocol) -> String {
    let start = text.drop { $0.isWhitespace }
    return String(start.prefix(start.count - start.reversed().prefix { $0.isWhitespace }.count))
  }

  /// Splits at separators outside of quotes; doubled quotes become single ones.
  private static func cells(_ bytes: ArraySlice<UInt8>, separator: UInt8) -> [String] {
    var isQuoted = false
    let cells = bytes.split(omittingEmptySubsequences: false) { byte in
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      return byte == separator && !isQuoted
    }
    return cells.map { cell in
      let text = trimmed(String(decoding: cell, as: UTF8.self))
      let isEnclosed = text.count >= 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
      return isEnclosed ? trimmed(text.dropFirst().dropLast().replacing("\"\"", with: "\"")) : text
    }
  }
}
