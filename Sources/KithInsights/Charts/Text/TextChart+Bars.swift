// SPDX-License-Identifier: Apache-2.0

extension TextChart {
  /// One line per period: losses grow to the left, gains to the right.
  func lines(_ flows: FlowBars) -> [TextLine] {
    let shown = Array(flows.items.suffix(Self.mostRows))
    let (names, nameWidth) = labels(shown.map(\.label), most: max(7, columns / 5))
    let net = shown.map { kind.signedText(Double($0.net)) }
    let netWidth = max(3, net.map { ChartLabel.width($0) }.max() ?? 0)
    let figures = shown.map {
      (gained: kind.shortText(Double($0.gained)), lost: kind.shortText(Double($0.lost)))
    }
    let figureWidth = figures.map { max(ChartLabel.width($0.gained), ChartLabel.width($0.lost)) }.max() ?? 1
    let showsNet = columns >= 44
    let room = columns - nameWidth - 2 - (showsNet ? netWidth + 2 : 0)
    let half = max(figureWidth + 3, (room - 1) / 2)
    let most = Double(shown.map { max($0.gained, $0.lost, 1) }.max() ?? 1)
    let cells = { (value: Int) in Double(max(0, value)) / most * Double(half - figureWidth - 1) }

    let axis = nameWidth + 1 + half
    var header = TextLine()
    header.add(ChartLabel.cut(ChartLabel.clean(flows.lostName), to: half - 2), .series(1), endingAt: axis - 1)
    header.pad(to: axis + 2)
    header.add(ChartLabel.cut(ChartLabel.clean(flows.gainedName), to: half - 2), .series(0))
    if showsNet { header.add("Net", .bold, endingAt: columns) }
    var lines = omission(flows.items.count - shown.count, "earlier periods") + [header]
    for (index, item) in shown.enumerated() {
      let isPale = item.coverage != .whole
      var line = TextLine(names[index])
      let bar = leftBar(cells(item.lost), isPale: isPale)
      line.pad(to: axis - ChartLabel.width(bar) - ChartLabel.width(figures[index].lost) - 1)
      line.add("\(figures[index].lost) ", .muted)
      line.add(bar, .series(1))
      line.add(glyph("│", "|"), .muted)
      line.add(self.bar(cells(item.gained), isPale: isPale), .series(0))
      line.add(" \(figures[index].gained)", .muted)
      if showsNet { line.add(net[index], .bold, endingAt: columns) }
      lines.append(line)
    }
    let pale = AudienceFlow.Coverage.allCases.filter { coverage in shown.contains { $0.coverage == coverage }
    }
    .compactMap(\.chartNote)
    guard !pale.isEmpty else { return lines }
    let note = "\(glyph("▒", ":")) \(pale.joined(separator: ", or "))"
    return lines + ChartLabel.wrapped(note, to: columns).map { TextLine($0, .muted) }
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
      let ink: Ink = item.emphasis == .better ? .better : item.emphasis == .worse ? .worse : .series(0)
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
      return ChartLabel.cut(ChartLabel.clean(bars.missingText), to: 10)
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
