// SPDX-License-Identifier: Apache-2.0

import KithOperations

/// The layout of a table: columns that fit the terminal, or one cell per line on a narrow one.
///
/// The widest columns are cut first, with an ellipsis, except those that people copy from. The last column is wrapped; only a word that is longer than the
/// line is cut.
struct TableLayout: Sendable {
  /// A wider cell is cut, except in the last column.
  private static let widestCell = 60
  /// No column is cut to less; a narrower terminal gets one cell per line.
  private static let narrowestCut = 16
  /// The last column gets this much if it needs it.
  private static let leastLast = 20
  private static let gap = 2

  private let headings: [String]
  /// The columns that are printed.
  private let kept: [Int]
  /// The widths of the columns; the last one is what is left of the line, at most.
  private let widths: [Int]
  /// The width of the terminal; nil for no limit.
  private let columns: Int?
  private let isStacked: Bool

  /// Finds the widths for some rows.
  ///
  /// - Parameters:
  ///   - least: the minimal width of each column.
  ///   - areAll: whether no row follows; then columns without text are omitted.
  ///   - columns: the width of the terminal; nil for no limit.
  init(headings: [String], rows: [TableRow], least: [Int], areAll: Bool = false, columns: Int?) {
    let kept = headings.indices.filter { column in
      !areAll || column == 0 || rows.contains { column < $0.cells.count && !$0.cells[column].text.isEmpty }
    }
    let rows = rows.map { Self.reduced($0, to: kept) }
    let least = kept.map { least[$0] }
    let headings = kept.map { headings[$0] }
    self.kept = kept
    self.headings = headings
    self.columns = columns
    let natural = headings.indices.map { column in
      let cells = rows.map { column < $0.cells.count ? TerminalText.width($0.cells[column].text) : 0 }
      return max(least[column], TerminalText.width(headings[column]), cells.max() ?? 0)
    }
    let whole = headings.indices.map { column in
      rows.lazy.compactMap { column < $0.cells.count && $0.cells[column].isWhole ? $0.cells[column] : nil }
        .map { TerminalText.width($0.text) }.max() ?? 0
    }
    var widths = natural
    for column in widths.indices.dropLast() {
      widths[column] = min(widths[column], max(Self.widestCell, whole[column]))
    }
    if let columns {
      isStacked = !Self.fit(&widths, keeping: whole, into: columns)
    } else {
      isStacked = false
    }
    self.widths = widths
  }

  /// Cuts the widest columns until all fit; false if they would become too narrow to read.
  ///
  /// - Parameter whole: what each column needs at least, so that nothing is cut in it that people copy.
  private static func fit(_ widths: inout [Int], keeping whole: [Int], into columns: Int) -> Bool {
    guard widths.count > 1, let last = widths.last, let lastWhole = whole.last else { return true }
    let others = widths.indices.dropLast()
    var excess = widths.reduce(0, +) + gap * others.count - columns
    guard excess > 0 else { return true }
    // The last column is wrapped, so it gives way first.
    let given = min(excess, max(0, last - max(leastLast, columns / 3, lastWhole)))
    widths[widths.count - 1] -= given
    excess -= given
    while excess > 0 {
      let cuttable = others.filter { widths[$0] > max(narrowestCut, whole[$0]) }
      guard let widest = cuttable.max(by: { widths[$0] < widths[$1] }) else { return false }
      widths[widest] -= 1
      excess -= 1
    }
    return true
  }

  /// The headings on one line; nil if each cell has its own heading.
  func heading(_ palette: Palette) -> String? {
    isStacked ? nil : inColumns(TableRow(cells: headings.map { TableRow.Cell($0, .faint) }), palette).first
  }

  /// The lines of a row, without trailing spaces.
  func lines(_ row: TableRow, _ palette: Palette) -> [String] {
    let row = Self.reduced(row, to: kept)
    return isStacked ? stacked(row, palette) : inColumns(row, palette)
  }

  private static func reduced(_ row: TableRow, to kept: [Int]) -> TableRow {
    TableRow(cells: kept.compactMap { $0 < row.cells.count ? row.cells[$0] : nil })
  }

  private func inColumns(_ row: TableRow, _ palette: Palette) -> [String] {
    var line = ""
    var used = 0
    let filled = row.cells.prefix((row.cells.lastIndex { !$0.text.isEmpty } ?? -1) + 1)
    for (column, cell) in filled.enumerated() {
      if column < filled.count - 1 {
        let text = TerminalText.truncated(cell.text, to: widths[column])
        line += palette.paint(text, cell.colour)
        line += String(repeating: " ", count: widths[column] - TerminalText.width(text) + Self.gap)
        used += widths[column] + Self.gap
      } else if column < widths.count - 1 {
        line += palette.paint(
          TerminalText.truncated(cell.text, to: columns == nil ? .max : widths[column]), cell.colour)
      } else {
        let parts = columns.map { TerminalText.wrapped(cell.text, to: $0 - used) } ?? [cell.text]
        let indent = String(repeating: " ", count: used)
        return parts.enumerated().map { number, part in
          (number == 0 ? line : indent) + palette.paint(part, cell.colour)
        }
      }
    }
    return [line]
  }

  private func stacked(_ row: TableRow, _ palette: Palette) -> [String] {
    let columns = columns ?? .max
    let name = headings.dropFirst().map(TerminalText.width).max() ?? 0
    var lines: [String] = []
    for (column, cell) in row.cells.enumerated() where column == 0 || !cell.text.isEmpty {
      if column == 0 {
        lines.append(palette.paint(TerminalText.truncated(cell.text, to: columns), cell.colour))
        continue
      }
      let used = Self.gap + name + Self.gap
      let heading =
        headings[column] + String(repeating: " ", count: name - TerminalText.width(headings[column]))
      for (number, part) in TerminalText.wrapped(cell.text, to: columns - used).enumerated() {
        let lead = number == 0 ? "  \(palette.paint(heading, .faint))  " : String(repeating: " ", count: used)
        lines.append(lead + palette.paint(part, cell.colour))
      }
    }
    return lines
  }
}
