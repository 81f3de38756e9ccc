// SPDX-License-Identifier: Apache-2.0

extension TextChart {
  /// One line per period: losses grow to the left, gains to the right.
  func lines(_ flows: FlowBars) -> [TextLine] {
    let rows = rows(of: flows)
    let shown = Array(rows.suffix(Self.mostRows))
    let (names, nameWidth) = labels(shown.map(\.label), most: max(7, columns / 5))
    let net = shown.map { row in row.net.map { kind.signedText($0.rounded()) } ?? "" }
    let netWidth = max(3, net.map { ChartLabel.width($0) }.max() ?? 0)
    let figures = shown.map { row in
      (
        gained: row.gained.map { kind.shortText($0.rounded()) } ?? "",
        lost: row.lost.map { kind.shortText($0.rounded()) } ?? ""
      )
    }
    let figureWidth = figures.map { max(ChartLabel.width($0.gained), ChartLabel.width($0.lost)) }.max() ?? 1
    let showsNet = flows.showsNet && columns >= 44
    let room = columns - nameWidth - 2 - (showsNet ? netWidth + 2 : 0)
    let half = max(figureWidth + 3, (room - 1) / 2)
    let most = shown.reduce(1.0) { max($0, $1.gained ?? 0, $1.lost ?? 0) }
    let cells = { (value: Double) in value / most * Double(half - figureWidth - 1) }

    let axis = nameWidth + 1 + half
    var header = TextLine()
    header.add(ChartLabel.cut(ChartLabel.clean(flows.lostName), to: half - 2), .series(1), endingAt: axis - 1)
    header.pad(to: axis + 2)
    header.add(ChartLabel.cut(ChartLabel.clean(flows.gainedName), to: half - 2), .series(0))
    if showsNet { header.add("Net", .bold, endingAt: columns) }
    var lines = omission(rows.count - shown.count, "earlier periods") + [header]
    for (index, row) in shown.enumerated() {
      let isPale = row.coverage != .whole
      var line = TextLine(names[index])
      if let lost = row.lost {
        let bar = leftBar(cells(lost), isPale: isPale)
        line.pad(to: axis - ChartLabel.width(bar) - ChartLabel.width(figures[index].lost) - 1)
        line.add("\(figures[index].lost) ", .muted)
        line.add(bar, .series(1))
      }
      line.pad(to: axis)
      line.add(glyph("│", "|"), .muted)
      if let gained = row.gained {
        line.add(bar(cells(gained), isPale: isPale), .series(0))
        line.add(" \(figures[index].gained)", .muted)
      } else if row.lost == nil {
        line.add(" not observed", .muted)
      }
      if showsNet { line.add(net[index], .bold, endingAt: columns) }
      lines.append(line)
    }
    let notes = flows.notes.filter { $0 != AudienceFlow.Coverage.unobserved.chartNote }
    guard !notes.isEmpty else { return lines }
    let note = "\(glyph("▒", ":")) \(notes.joined(separator: ", or "))"
    return lines + ChartLabel.wrapped(note, to: columns).map { TextLine($0, .muted) }
  }

  /// The periods of a chart; consecutive ones of which nothing is known are one.
  private func rows(of flows: FlowBars) -> [FlowBars.Slot] {
    var rows: [FlowBars.Slot] = []
    var first = ""
    for slot in flows.slots {
      if slot.gained == nil, slot.lost == nil, let last = rows.last, last.gained == nil, last.lost == nil {
        rows[rows.count - 1] = FlowBars.Slot(
          label: "\(first) – \(slot.label)", gained: nil, lost: nil, net: nil, coverage: .unobserved)
      } else {
        first = slot.label
        rows.append(slot)
      }
    }
    return rows
  }

  /// One line per category. With an interval, the bar is solid up to its lower bound.
  func lines(_ bars: CategoryBars) -> [TextLine] {
    let shown = Array(bars.items.prefix(Self.mostRows))
    let (names, nameWidth) = labels(shown.map(\.label), most: max(8, columns / 3))
    let figures = shown.map { figure($0, bars) }
    let figureWidth = figures.map { ChartLabel.width($0) }.max() ?? 0
    let room = max(4, columns - nameWidth - figureWidth - 3)
    let range = bars.valueRange
    let highest = range.upperBound > 0 ? range.upperBound : 1
    let below = min(0, range.lowerBound)
    var lines: [TextLine] = []
    for (index, item) in shown.enumerated() {
      var line = TextLine()
      line.add(names[index], endingAt: nameWidth)
      line.add(" ")
      line.add(glyph("│", "|"), .muted)
      let ink = item.isHigh.map { $0 ? Ink.better : .worse } ?? .series(0)
      // Negative values have only a number, no bar.
      let cells = { (value: Double) in max(0, value) / highest * Double(room) }
      if let value = item.finiteValue {
        line.add(
          barWithInterval(
            cells(value), item.finiteInterval.map { (cells($0.lowerBound), cells($0.upperBound)) }, room), ink
        )
      }
      line.add(figures[index], item.finiteValue == nil ? .muted : .bold, endingAt: columns)
      lines.append(line)
    }
    if shown.contains(where: { $0.finiteInterval != nil }) {
      lines.append(TextLine("\(glyph("▒▒──┤", ":::--|")) interval", .muted))
    }
    if below < 0 { lines.append(TextLine("Negative values have no bar.", .muted)) }
    return lines + omission(bars.items.count - shown.count, "more categories")
  }

  private func figure(_ item: CategoryBars.Item, _ bars: CategoryBars) -> String {
    guard let value = item.finiteValue else {
      return ChartLabel.cut(ChartLabel.clean(bars.missingText), to: 14)
    }
    var text = kind.text(value)
    if columns >= 100, let interval = bars.intervalText(item, kind) { text += " (\(interval))" }
    if bars.items.contains(where: { $0.emphasis != .none }) {
      text += item.emphasis == .none ? "  " : " \(item.emphasisSign)"
    }
    if columns >= 70, let size = item.sampleSize { text += "  n = \(Decimal.text(Double(size), digits: 0))" }
    return text
  }

  private func barWithInterval(
    _ value: Double, _ interval: (low: Double, high: Double)?, _ room: Int
  ) -> String {
    guard let interval else { return bar(value) }
    let end = min(room, Int(value.rounded()))
    let solid = min(max(0, Int(interval.low.rounded())), end)
    let high = min(room, max(end, Int(interval.high.rounded())))
    let whisker =
      high > end ? String(repeating: glyph("─", "-"), count: high - end - 1) + glyph("┤", "|") : ""
    return String(repeating: glyph("█", "#"), count: solid)
      + String(repeating: glyph("▒", ":"), count: end - solid) + whisker
  }
}
