// SPDX-License-Identifier: Apache-2.0

extension SVGChart {
  /// The smallest width of an upright bar.
  private static let leastColumnWidth = 14.0
  /// The smallest readable row height.
  private static let leastRowHeight = 18.0

  func draw(_ bars: CategoryBars, in frame: Frame, on canvas: inout SVGCanvas) {
    let room = max(1, Int((frame.height - 26) / Self.leastRowHeight))
    let slot = frame.width / Double(max(1, bars.items.count))
    if bars.items.count > room, slot >= Self.leastColumnWidth, bars.valueRange.lowerBound >= 0 {
      return drawColumns(bars, in: frame, on: &canvas)
    }
    let shown = bars.items.prefix(bars.items.count > room ? max(1, room - 1) : room)
    let isWide = frame.width >= 520
    let labels = min(
      (shown.map { SVGCanvas.width($0.label) }.max() ?? 0) + 12, frame.width * (isWide ? 0.35 : 0.32))
    let values = (shown.map { SVGCanvas.width(valueText($0, bars, isWide: isWide)) }.max() ?? 0) + 14

    var plot = frame
    plot.x += labels
    plot.width = max(20, frame.width - labels - values)
    plot.height = max(20, frame.height - 26 - (shown.count < bars.items.count ? 18 : 0))
    let row = min(plot.height / Double(shown.count), 40)
    plot.height = row * Double(shown.count)
    let scale = ValueScale(
      bars.valueRange, kind: kind, most: max(4, Int(plot.width / 70)), mayBreak: false)
    axis(scale, plot, on: &canvas)
    var rows: [DrawnRows.Place?] = []
    for (index, item) in shown.enumerated() {
      let y = plot.y + Double(index) * row
      rows.append(
        DrawnRows.Place(x: plot.x + scale.fraction(item.finiteValue ?? 0) * plot.width, y: y + row / 2))
      canvas.text(item.label, plot.x - 10, y + row / 2 + 4, anchor: .end, width: labels - 10)
      draw(item, bars, scale, Frame(x: plot.x, y: y, width: plot.width, height: row), on: &canvas)
      canvas.text(
        valueText(item, bars, isWide: isWide), plot.right + 10, y + row / 2 + 4,
        item.finiteValue == nil ? "m" : "b")
    }
    canvas.rows = DrawnRows(places: rows)
    guard shown.count < bars.items.count else { return }
    canvas.text(
      "\(bars.items.count - shown.count) more in the table", frame.x, frame.bottom - 4, "m",
      width: frame.width)
  }

  /// Upright bars, where there are too many for one below the other.
  private func drawColumns(_ bars: CategoryBars, in frame: Frame, on canvas: inout SVGCanvas) {
    var plot = frame
    let scale = ValueScale(
      bars.valueRange, kind: kind, most: max(2, Int(frame.height / 48)), mayBreak: false)
    plot.x += labelWidth(scale)
    plot.y += 8
    plot.width = max(20, frame.right - plot.x)
    let isIncomplete = bars.items.contains { $0.finiteValue == nil }
    plot.height = max(20, frame.height - 8 - (isIncomplete ? 46 : 28))
    if isIncomplete {
      canvas.rect(Frame(x: plot.x, y: frame.bottom - 13, width: 12, height: 12), "no", radius: 2)
      canvas.text(bars.missingText, plot.x + 18, frame.bottom - 3, "m", width: plot.width - 18)
    }
    valueAxis(scale, in: plot, on: &canvas)
    let slot = plot.width / Double(bars.items.count)
    let y = { (value: Double) in plot.bottom - scale.fraction(value) * plot.height }
    var free = -Double.infinity
    var rows: [DrawnRows.Place?] = []
    defer { canvas.rows = DrawnRows(places: rows, areAcross: true) }
    for (index, item) in bars.items.enumerated() {
      let center = plot.x + (Double(index) + 0.5) * slot
      rows.append(DrawnRows.Place(x: center, y: y(item.finiteValue ?? 0)))
      let width = min(slot * 0.7, 40)
      if let value = item.finiteValue {
        canvas.rect(
          Frame(x: center - width / 2, y: y(value), width: width, height: y(0) - y(value)),
          item.isHigh.map { $0 ? "better" : "worse" } ?? "plain", radius: 2)
        if let interval = item.finiteInterval {
          canvas.line(center, y(interval.lowerBound), center, y(interval.upperBound), "wh")
        }
      } else {
        canvas.rect(Frame(x: center - width / 2, y: y(0) - 14, width: width, height: 14), "no", radius: 2)
      }
      let label = ChartLabel.cut(ChartLabel.clean(item.label), to: 12)
      let half = SVGCanvas.width(label) / 2
      guard center - half > free else { continue }
      canvas.text(label, center, plot.bottom + 18, "m", anchor: .middle)
      free = center + half + 6
    }
  }

  private func valueText(_ item: CategoryBars.Item, _ bars: CategoryBars, isWide: Bool) -> String {
    guard let value = item.finiteValue else { return ChartLabel.cut(bars.missingText, to: 16) }
    var parts = [kind.text(value)]
    if !item.emphasisSign.isEmpty {
      parts.append(isWide ? "\(item.emphasisSign) \(item.emphasis.rawValue)" : item.emphasisSign)
    }
    if isWide, let size = item.sampleSize { parts.append("n = \(Decimal.text(Double(size), digits: 0))") }
    // Browsers join spaces.
    return parts.joined(separator: " · ")
  }

  private func axis(_ scale: ValueScale, _ plot: Frame, on canvas: inout SVGCanvas) {
    var free = -Double.infinity
    for tick in scale.ticks {
      let x = plot.x + scale.fraction(tick) * plot.width
      canvas.line(x, plot.y, x, plot.bottom, tick == 0 ? "ax" : "gl")
      let (label, half) = (scale.label(tick), SVGCanvas.width(scale.label(tick)) / 2)
      guard x - half > free else { continue }
      canvas.text(label, x, plot.bottom + 18, "m", anchor: .middle)
      free = x + half + 4
    }
  }

  private func draw(
    _ item: CategoryBars.Item, _ bars: CategoryBars, _ scale: ValueScale, _ row: Frame,
    on canvas: inout SVGCanvas
  ) {
    let x = { (value: Double) in row.x + scale.fraction(value) * row.width }
    let middle = row.y + row.height / 2
    let thickness = min(row.height * 0.62, 20)
    guard let value = item.finiteValue else {
      let box = Frame(x: x(0), y: middle - thickness / 2, width: 26, height: thickness)
      canvas.rect(box, "no", radius: 2, title: "\(item.label): \(bars.missingText)")
      return
    }
    let (left, right) = (min(x(0), x(value)), max(x(0), x(value)))
    let interval = bars.intervalText(item, kind).map { ", interval \($0)" } ?? ""
    canvas.rect(
      Frame(x: left, y: middle - thickness / 2, width: right - left, height: thickness),
      item.isHigh.map { $0 ? "better" : "worse" } ?? "plain", radius: 2,
      title: "\(item.label): \(kind.text(value))\(interval)")
    guard let bounds = item.finiteInterval else { return }
    let (low, high) = (x(bounds.lowerBound), x(bounds.upperBound))
    canvas.line(low, middle, high, middle, "wh")
    canvas.line(low, middle - 4, low, middle + 4, "wh")
    canvas.line(high, middle - 4, high, middle + 4, "wh")
  }
}
