// SPDX-License-Identifier: Apache-2.0

extension Chart {
  /// The chart as lines for a terminal, not wider than the style allows, without trailing spaces.
  ///
  /// - Parameter withTitle: whether the title is the first line; not below a heading that says the same.
  public func text(_ style: TextStyle = TextStyle(), withTitle: Bool = true) -> [String] {
    var lines = withTitle ? ChartLabel.wrapped(title, to: style.columns).map { TextLine($0, .bold) } : []
    if let subtitle { lines += ChartLabel.wrapped(subtitle, to: style.columns).map { TextLine($0, .muted) } }
    lines.append(TextLine())
    lines += isEmpty ? [TextLine("No data", .muted)] : TextChart(kind: valueKind, style: style).lines(content)
    if !notes.isEmpty { lines.append(TextLine()) }
    for note in notes { lines += ChartLabel.wrapped(note, to: style.columns).map { TextLine($0, .muted) } }
    return lines.map { $0.rendered(style) }
  }
}

/// Draws the content of a chart as lines of text.
struct TextChart {
  let kind: ValueKind
  let style: TextStyle

  /// More rows would scroll off the screen; the latest or the first ones are shown.
  static let mostRows = 40

  var columns: Int { style.columns }

  func lines(_ content: Chart.Content) -> [TextLine] {
    switch content {
    case .timeline(let timeline): lines(timeline)
    case .flows(let flows): lines(flows)
    case .categories(let bars): lines(bars)
    case .grid(let grid): lines(grid)
    }
  }

  /// The Unicode or ASCII variant, depending on the terminal.
  func glyph(_ unicode: String, _ ascii: String) -> String { style.unicode ? unicode : ascii }

  /// Labels, cleaned and truncated, and their maximum width.
  func labels(_ texts: [String], most: Int) -> (texts: [String], width: Int) {
    let cut = texts.map { ChartLabel.cut(ChartLabel.clean($0, most: most), to: most) }
    return (cut, cut.map { ChartLabel.width($0) }.max() ?? 0)
  }

  func omission(_ count: Int, _ what: String) -> [TextLine] {
    count > 0
      ? [TextLine("\(glyph("…", "...")) \(Decimal.text(Double(count), digits: 0)) \(what)", .muted)] : []
  }

  /// A bar that grows to the right, with a resolution of one eighth of a cell.
  func bar(_ cells: Double, isPale: Bool = false) -> String {
    let eighths = cells.isFinite ? Int((max(0, cells) * 8).rounded()) : 0
    guard style.unicode, !isPale else {
      return String(
        repeating: isPale ? glyph("▒", ":") : "#", count: max(eighths > 0 ? 1 : 0, (eighths + 4) / 8))
    }
    let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    return String(repeating: "█", count: eighths / 8) + parts[eighths % 8]
  }

  /// A bar that grows to the left, with a resolution of half a cell.
  func leftBar(_ cells: Double, isPale: Bool = false) -> String {
    let halves = cells.isFinite ? Int((max(0, cells) * 2).rounded(.up)) : 0
    guard style.unicode, !isPale else {
      return String(repeating: isPale ? glyph("▒", ":") : "=", count: (halves + 1) / 2)
    }
    return (halves % 2 == 1 ? "▐" : "") + String(repeating: "█", count: halves / 2)
  }
}
