// SPDX-License-Identifier: Apache-2.0

import KithOperations

extension String {
  /// The text with spaces in place of line breaks.
  var inOneLine: String { split(whereSeparator: \.isNewline).joined(separator: " ") }
}

/// The layout of rows that are texts: a line of cells, and below it what the row says, wrapped.
///
/// A word that is longer than the line, such as an address, is not cut, so that it can be copied.
struct ParagraphLayout: Sendable {
  private static let gap = "  "
  /// Text is not wrapped to less, however far it is to the right.
  private static let narrowest = 20
  /// Longer lines are hard to read.
  private static let widest = 100

  private let width: Int?

  /// - Parameter columns: the width of the terminal; nil for no limit.
  init(columns: Int?) { width = columns.map { min($0, Self.widest) } }

  /// The lines of a row, and an empty one.
  func lines(_ row: TableRow, _ palette: Palette) -> [String] {
    let margin = String(repeating: " ", count: row.indent)
    let heading = row.cells.filter { !$0.text.isEmpty }.map { palette.paint($0.text, $0.colour) }
    var lines = [margin + heading.joined(separator: Self.gap)]
    for cell in row.body {
      let room = width.map { max(Self.narrowest, $0 - row.indent - Self.gap.count) }
      let parts = room.map { TerminalText.wrapped(cell.text, to: $0, cutting: false) } ?? [cell.text]
      lines += parts.map { margin + Self.gap + palette.paint($0, cell.colour) }
    }
    return lines + [""]
  }
}
