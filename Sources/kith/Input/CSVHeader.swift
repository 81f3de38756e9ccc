// SPDX-License-Identifier: Apache-2.0

/// What the header line of a CSV file tells: how cells are separated, and what the columns are called.
struct CSVHeader: Sendable, Equatable {
  let separator: UInt8
  /// The names of the columns, without white space around them.
  let names: [String]

  /// Reads the header line, without the line break at its end.
  init(_ bytes: [UInt8]) {
    let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    let candidates = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")]
    separator = candidates.first { Self.cells(bytes, separator: $0).count > 1 } ?? candidates[0]
    names = Self.cells(bytes, separator: separator)
  }

  /// The column of a name, from 0.
  ///
  /// - Throws: ``CommandFault`` that names the columns there are.
  func column(named name: String, in file: String) throws(CommandFault) -> Int {
    let wanted = Self.trimmed(name).lowercased()
    guard let column = names.firstIndex(where: { $0.lowercased() == wanted }) else {
      throw CommandFault(.badInput, .noColumn(name, file: file, columns: names))
    }
    return column
  }

  static func trimmed(_ text: some StringProtocol) -> String {
    let start = text.drop { $0.isWhitespace }
    return String(start.prefix(start.count - start.reversed().prefix { $0.isWhitespace }.count))
  }

  /// Cuts at separators outside of quotes; doubled quotes stay quotes.
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
