// SPDX-License-Identifier: Apache-2.0

import KithInsights
import KithOperations

/// Lays out analytics for a terminal: cards side by side, then a section for each metric.
struct StatsScreen {
  let style: TextStyle
  let palette: Palette

  /// The most rows of a table; further rows are only counted.
  private static let mostRows = 12

  func text(_ insights: AccountInsights, _ metrics: Set<InsightMetric>) -> String {
    let report = insights.report
    var lines = [palette.paint(clean(report.title), .strong)]
    if metrics.contains(.cards), let headline = report.headline {
      lines += TerminalText.wrapped(clean(headline), to: style.columns)
    }
    if metrics.contains(.cards), let subtitle = report.subtitle {
      lines += TerminalText.wrapped(clean(subtitle), to: style.columns).map { palette.paint($0, .faint) }
    }
    if metrics.contains(.cards) { lines += [""] + cards(insights.cards) }
    for metric in InsightMetric.allCases where metrics.contains(metric) {
      for section in insights.sections(metric) { lines += [""] + self.lines(of: section) }
    }
    return lines.map { $0 + "\n" }.joined()
  }

  // MARK: Cards

  /// Places as many cards side by side as fit.
  private func cards(_ cards: [InsightReport.Card]) -> [String] {
    let cells = cards.map { card in
      let below = [
        card.change.map { TableRow.Cell(clean($0), colour(card.sense)) },
        card.detail.map { TableRow.Cell(clean($0), .faint) },
      ].compactMap(\.self)
      return [TableRow.Cell(clean(card.label), .faint), TableRow.Cell(clean(card.value), .strong)] + below
        + Array(repeating: TableRow.Cell(""), count: 2 - below.count)
    }
    let width = cells.joined().map { TerminalText.width($0.text) }.max() ?? 0
    let column = min(max(width, 10), style.columns) + 2
    let perRow = max(1, (style.columns + 2) / column)
    return stride(from: 0, to: cells.count, by: perRow).flatMap { start -> [String] in
      let row = cells[start..<min(start + perRow, cells.count)]
      let lines = (0..<4).map { line in
        self.line(row.map { $0[line] }, column)
      }.filter { !$0.isEmpty }
      return start == 0 ? lines : [""] + lines
    }
  }

  private func line(_ cells: [TableRow.Cell], _ column: Int) -> String {
    var (line, pad) = ("", 0)
    for cell in cells {
      let text = TerminalText.truncated(cell.text, to: column - 2)
      if !text.isEmpty {
        line += String(repeating: " ", count: pad) + palette.paint(text, cell.colour)
        pad = 0
      }
      pad += column - TerminalText.width(text)
    }
    return line
  }

  private func colour(_ sense: InsightReport.Card.Sense) -> Palette.Colour? {
    switch sense {
    case .better: .good
    case .worse: .bad
    case .neutral: nil
    }
  }

  // MARK: Sections

  private func lines(of section: InsightReport.Section) -> [String] {
    var lines = [palette.paint(clean(section.heading), .strong)]
    for paragraph in section.paragraphs { lines += TerminalText.wrapped(clean(paragraph), to: style.columns) }
    if let chart = section.chart { lines += chart.text(style, withTitle: chart.title != section.heading) }
    if let table = section.table { lines += self.table(table) }
    for note in section.notes {
      lines += TerminalText.wrapped(clean(note), to: style.columns).map { palette.paint($0, .faint) }
    }
    return lines
  }

  private func table(_ table: ChartTable) -> [String] {
    let rows = ([table.headings] + table.rows.prefix(Self.mostRows)).map { $0.map(clean) }
    var widths = table.headings.indices.map { column in
      min(40, rows.map { $0.indices.contains(column) ? TerminalText.width($0[column]) : 0 }.max() ?? 0)
    }
    // The texts of the first column are the longest, and give way.
    let total = widths.reduce(2 * (widths.count - 1), +)
    if let first = widths.first { widths[0] = min(first, max(12, first - (total - style.columns))) }
    var lines = rows.enumerated().map { index, row in
      var line = ""
      for (column, text) in row.enumerated() where widths.indices.contains(column) {
        let isLast = column == row.count - 1
        let cut = isLast ? text : TerminalText.truncated(text, to: widths[column])
        line +=
          cut + (isLast ? "" : String(repeating: " ", count: widths[column] - TerminalText.width(cut) + 2))
      }
      line = TerminalText.truncated(line, to: style.columns)
      while line.hasSuffix(" ") { line.removeLast() }
      return index == 0 ? palette.paint(line, .faint) : line
    }
    let more = table.rows.count - Self.mostRows + table.omittedAfter
    if more > 0 { lines.append(palette.paint("and \(more) more", .faint)) }
    return lines
  }

  /// Fit for the terminal, and without letters that it lacks.
  private func clean(_ text: String) -> String {
    let text = TerminalText.clean(text)
    guard !style.unicode else { return text }
    let plain: [Character: String] = ["–": "-", "−": "-", "…": "...", "×": "x", "≥": ">="]
    return text.map { character in
      character.isASCII ? String(character) : plain[character] ?? "?"
    }.joined()
  }
}
