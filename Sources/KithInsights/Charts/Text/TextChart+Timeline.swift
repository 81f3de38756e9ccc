// SPDX-License-Identifier: Apache-2.0

internal import KithCore

extension TextChart {
  private static let mostMarks = 3
  private static let marks = ["*", "o", "+", "x", "#", "@"]

  func lines(_ timeline: Timeline) -> [TextLine] {
    guard let times = timeline.timeRange, let values = timeline.valueRange else { return [] }
    let rows = columns < 50 ? 8 : columns < 100 ? 12 : 16
    let value = ValueScale(values, kind: kind, most: rows / 2, mayBreak: !timeline.startsAtZero)
    let time = TimeScale(times, clock: timeline.clock)
    let margin = value.ticks.map { ChartLabel.width(value.label($0)) }.max() ?? 0
    var plot = TextPlot(columns: max(8, columns - margin - 2), rows: rows, usesDots: style.unicode)

    for (index, band) in timeline.bands.enumerated() { draw(band, index, time, value, &plot) }
    let marks = timeline.drawnMarks(in: times).prefix(Self.mostMarks)
    for mark in marks {
      for row in 0..<rows { plot.put(glyph("┊", "|"), column(mark.at, time, plot), row, .muted) }
    }
    let levels = timeline.levelsByDistance
    for level in levels.near { drawLine(level, value, &plot) }
    for (index, series) in timeline.series.enumerated() {
      draw(series, index, series.path ?? timeline.path, time, value, &plot)
    }
    for level in levels.near { drawLabel(level, value, &plot) }
    for level in levels.far {
      drawLabel(level, value, &plot, direction: level.value > value.high ? glyph("↑", "^") : glyph("↓", "v"))
    }

    var lines = legend(timeline)
    for mark in marks { lines.append(label(mark, margin + 2 + column(mark.at, time, plot))) }
    lines += body(plot, value, margin)
    return lines + axis(plot, time, value, margin)
  }

  private func column(_ moment: Instant, _ time: TimeScale, _ plot: TextPlot) -> Int {
    Int((time.fraction(moment) * Double(plot.columns - 1)).rounded())
  }

  private func row(_ value: Double, _ scale: ValueScale, _ plot: TextPlot) -> Int {
    Int(((1 - scale.fraction(value)) * Double(plot.rows - 1)).rounded())
  }

  private func draw(
    _ series: Timeline.Series, _ index: Int, _ path: Timeline.Path, _ time: TimeScale, _ value: ValueScale,
    _ plot: inout TextPlot
  ) {
    for segment in series.segments(on: time, columns: plot.width).map(path.corners) {
      let points = segment.map { point in
        (
          x: Int((time.fraction(point.at) * Double(plot.width - 1)).rounded()),
          y: Int(((1 - value.fraction(point.value)) * Double(plot.height - 1)).rounded())
        )
      }
      for (position, point) in points.enumerated() {
        plot.line(
          from: points[max(0, position - 1)], to: point, mark: Self.marks[index % Self.marks.count],
          .series(index), isDashed: series.style == .dashed && points.count > 1)
      }
    }
  }

  /// The shade of a band; those within it are darker.
  private func shade(_ band: Int) -> String { band == 0 ? glyph("░", ":") : glyph("▒", "=") }

  private func draw(
    _ band: Timeline.Band, _ index: Int, _ time: TimeScale, _ value: ValueScale, _ plot: inout TextPlot
  ) {
    for segment in band.segments(on: time, columns: plot.columns) {
      for (position, point) in segment.enumerated() {
        let next = segment[min(position + 1, segment.count - 1)]
        let first = column(point.at, time, plot)
        // The bounds hold until the next point.
        for place in first...max(first, column(next.at, time, plot) - 1) {
          for row in row(point.high, value, plot)...row(point.low, value, plot) {
            plot.put(shade(index), place, row, .muted)
          }
        }
      }
    }
  }

  private func drawLine(_ level: Timeline.Level, _ value: ValueScale, _ plot: inout TextPlot) {
    let row = row(level.value, value, plot)
    for column in 0..<plot.columns { plot.put(glyph("╌", "-"), column, row, .muted) }
  }

  /// - Parameter direction: the sign of a level that is outside of the plot; nil if it has a line.
  private func drawLabel(
    _ level: Timeline.Level, _ value: ValueScale, _ plot: inout TextPlot, direction: String? = nil
  ) {
    let sign = direction.map { "\($0) " } ?? ""
    let text = " \(sign)\(ChartLabel.clean(level.label)): \(kind.labelText(level.value)) "
    plot.write(ChartLabel.cut(text, to: plot.columns - 4), 2, row(level.value, value, plot), nil)
  }

  private func legend(_ timeline: Timeline) -> [TextLine] {
    var items: [(sample: String, name: String, ink: Ink)] = []
    for (index, series) in timeline.series.enumerated() {
      let mark = Self.marks[index % Self.marks.count]
      let sample = glyph(series.style == .dashed ? "╍╍" : "━━", mark + mark)
      items.append((sample, series.name, .series(index)))
    }
    for (index, band) in timeline.bands.enumerated() {
      items.append((shade(index) + shade(index), band.name, .muted))
    }
    guard items.count > 1 || timeline.series.first?.style == .dashed else { return [] }
    var (lines, line) = ([TextLine](), TextLine())
    for item in items {
      let name = ChartLabel.cut(ChartLabel.clean(item.name), to: columns - 4)
      if line.width > 0, line.width + ChartLabel.width(name) + 6 > columns {
        lines.append(line)
        line = TextLine()
      }
      if line.width > 0 { line.add("   ") }
      line.add(item.sample, item.ink)
      line.add(" \(name)")
    }
    return lines + [line]
  }

  /// The name of a mark with an arrow above its line.
  private func label(_ mark: Timeline.Mark, _ column: Int) -> TextLine {
    let (label, arrow) = (ChartLabel.clean(mark.label), glyph("▼", "v"))
    var line = TextLine()
    if column + ChartLabel.width(label) + 2 > columns, column > columns / 2 {
      line.add("\(ChartLabel.cut(label, to: column - 1)) \(arrow)", .muted, endingAt: column + 1)
    } else {
      line.add(arrow, .muted, endingAt: column + 1)
      line.add(" \(label)", .muted)
    }
    return line
  }

  private func body(_ plot: TextPlot, _ value: ValueScale, _ margin: Int) -> [TextLine] {
    var labels: [Int: String] = [:]
    for tick in value.ticks { labels[row(tick, value, plot)] = value.label(tick) }
    return (0..<plot.rows).map { row in
      var line = TextLine()
      line.add(labels[row] ?? "", .muted, endingAt: margin)
      line.add(" ")
      line.add(labels[row] == nil ? glyph("│", "|") : glyph("┤", "+"), .muted)
      plot.add(row: row, to: &line)
      return line
    }
  }

  private func axis(_ plot: TextPlot, _ time: TimeScale, _ value: ValueScale, _ margin: Int) -> [TextLine] {
    var (rule, names) = (TextLine(), TextLine())
    var ticks = Array(repeating: glyph("─", "-"), count: plot.columns)
    for tick in time.ticks(most: max(2, plot.columns / 11)) {
      let column = column(tick.at, time, plot)
      ticks[column] = glyph("┬", "+")
      let start = max(margin + 2 + column - ChartLabel.width(tick.label) / 2, 0)
      guard start >= names.width + (names.width > 0 ? 1 : 0), start + ChartLabel.width(tick.label) <= columns
      else { continue }
      names.pad(to: start)
      names.add(tick.label, .muted)
    }
    // The corner of a broken axis is not closed.
    rule.add(value.isBroken ? glyph("≈", "~") : glyph("└", "+"), .muted, endingAt: margin + 2)
    rule.add(ticks.joined(), .muted)
    var caption = TextLine()
    caption.add(ChartLabel.cut(time.caption, to: columns), .muted, endingAt: columns)
    let note = value.breakNote.map { [TextLine("\(glyph("≈", "~")) \($0)", .bold)] } ?? []
    return [rule, names, caption] + note
  }
}
