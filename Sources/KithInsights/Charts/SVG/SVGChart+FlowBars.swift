// SPDX-License-Identifier: Apache-2.0

extension SVGChart {
  /// With at most this many bars, figures are written beside them.
  private static let mostLabelledBars = 14
  /// With more bars there are no titles, to limit the size of the image.
  private static let mostTitledBars = 130

  func draw(_ flows: FlowBars, in frame: Frame, on canvas: inout SVGCanvas) {
    let top = legend(legendItems(flows), in: frame, on: &canvas)
    var plot = frame
    plot.y += max(top, 8) + 6
    let scale = ValueScale(
      flows.valueRange, kind: kind, most: max(2, Int((frame.bottom - plot.y) / 30)), mayBreak: false)
    plot.x += labelWidth(scale)
    plot.width = max(20, frame.right - plot.x)
    let bars = flows.bars(most: max(1, Int(plot.width / 4)))
    let slots = flows.slots
    let isGrouped = bars.count < slots.count
    plot.height = max(20, frame.bottom - plot.y - (isGrouped ? 44 : 28))

    valueAxis(scale, in: plot, on: &canvas, sign: false)
    let slot = plot.width / Double(bars.count)
    let width = min(max(slot * 0.7, 1.5), 46)
    let y = { (value: Double) in plot.bottom - scale.fraction(value) * plot.height }
    // Where the net change is unknown, its line is open.
    var net: [[(x: Double, y: Double)]] = [[]]
    for (index, bar) in bars.enumerated() {
      let center = plot.x + (Double(index) + 0.5) * slot
      let pale = bar.isPale ? " pale" : ""
      let title = bars.count <= Self.mostTitledBars ? self.title(flows, slots, bar) : nil
      func frame(_ low: Double, _ high: Double) -> Frame {
        Frame(x: center - width / 2, y: y(high), width: width, height: y(low) - y(high))
      }
      if let gained = bar.gained {
        canvas.rect(frame(0, gained), "gain\(pale)", radius: min(2, width / 4), title: title)
        canvas.hatch(frame(max(0, gained - bar.spreadGains), gained), "hatch gain")
      }
      if let lost = bar.lost {
        canvas.rect(frame(-lost, 0), "loss\(pale)", radius: min(2, width / 4), title: title)
        if bar.isSpread { canvas.hatch(frame(-lost, 0), "hatch loss") }
      }
      guard let lowest = bar.lowestNet, let highest = bar.highestNet else {
        net.append([])
        continue
      }
      net[net.count - 1].append((x: center, y: y(highest)))
      if lowest != highest { net[net.count - 1].append((x: center, y: y(lowest))) }
    }
    for line in net { draw(line, dots: bars.count <= 40, on: &canvas) }
    labels(slots, bars, slot, plot, frame, on: &canvas)
    var next = 0
    let rows = flows.items.map { item in
      let parts = next..<next + item.parts.count
      next = parts.upperBound
      let drawn = bars.indices.filter { bars[$0].slots.overlaps(parts) }
      let middle = Double((drawn.first ?? 0) + (drawn.last ?? 0)) / 2 + 0.5
      return DrawnRows.Place(
        x: plot.x + middle * slot, y: y(drawn.compactMap { bars[$0].gained }.max() ?? 0))
    }
    canvas.rows = DrawnRows(places: rows.suffix(ChartTable.mostHTMLRows), areAcross: true)
    guard isGrouped else { return }
    let count = bars[0].slots.count
    canvas.text(
      "Each bar shows the largest figures of \(count) periods.", frame.right, plot.bottom + 36, "m",
      anchor: .end,
      width: frame.width)
  }

  /// The meaning of each kind of bar that is drawn.
  private func legendItems(_ flows: FlowBars) -> [LegendItem] {
    let slots = flows.slots
    var items: [LegendItem] = []
    if slots.contains(where: { $0.gained ?? 0 > 0 }) {
      items.append(LegendItem(name: flows.gainedName, classes: "gain", sample: .box))
    }
    if slots.contains(where: { $0.lost ?? 0 > 0 }) {
      items.append(LegendItem(name: flows.lostName, classes: "loss", sample: .box))
    }
    if slots.contains(where: { $0.net != nil }) {
      items.append(LegendItem(name: "Net", classes: "net", sample: .line))
    }
    let shown = Set(slots.lazy.filter { $0.gained ?? 0 > 0 || $0.lost ?? 0 > 0 }.map(\.coverage))
    var pale = [AudienceFlow.Coverage.survivors, .partial].filter(shown.contains).compactMap(\.chartNote)
    // Of an interval, the gains with a date are told apart.
    if slots.contains(where: { $0.coverage == .interval && $0.gained ?? 0 > 0 }) {
      pale.append("only those that stayed until the next snapshot")
    }
    if !pale.isEmpty {
      items.append(LegendItem(name: pale.joined(separator: ", or "), classes: "gain pale", sample: .box))
    }
    if shown.contains(.interval), let note = AudienceFlow.Coverage.interval.chartNote {
      items.append(LegendItem(name: note, classes: "loss pale", sample: .hatched))
    }
    if slots.contains(where: { $0.gained == nil || $0.lost == nil }) {
      items.append(LegendItem(name: "No bar: not observed", classes: "", sample: .none))
    }
    return items
  }

  private func title(_ flows: FlowBars, _ slots: [FlowBars.Slot], _ bar: FlowBars.Bar) -> String {
    let first = slots[bar.slots.lowerBound]
    guard bar.slots.count == 1 else { return "\(first.label) to \(slots[bar.slots.upperBound].label)" }
    func text(_ value: Double?) -> String {
      value.map { (first.coverage == .interval && $0 != 0 ? "about " : "") + kind.text($0) } ?? "unknown"
    }
    let note = first.coverage.chartNote.map { " (\($0))" } ?? ""
    return
      "\(first.label): \(flows.gainedName) \(text(first.gained)), \(flows.lostName) \(text(first.lost))"
      + (flows.showsNet ? ", net \(first.net.map { kind.signedText($0) } ?? "unknown")" : "") + note
  }

  private func draw(_ net: [(x: Double, y: Double)], dots: Bool, on canvas: inout SVGCanvas) {
    canvas.path(SVGCanvas.path(net), "net")
    guard dots else { return }
    for point in net { canvas.circle(point.x, point.y, radius: 2.8, "netdot") }
  }

  /// As many period names as fit, starting from the last one.
  private func labels(
    _ slots: [FlowBars.Slot], _ bars: [FlowBars.Bar], _ slot: Double, _ plot: Frame, _ frame: Frame,
    on canvas: inout SVGCanvas
  ) {
    var free = frame.right + 40
    for (index, bar) in bars.enumerated().reversed() {
      let label = ChartLabel.cut(ChartLabel.clean(slots[bar.slots.lowerBound].label), to: 16)
      let (width, center) = (SVGCanvas.width(label), plot.x + (Double(index) + 0.5) * slot)
      // Names at the edges are moved inside.
      let x = min(max(center, frame.x + width / 2), frame.right - width / 2)
      guard x + width / 2 + 10 <= free else { continue }
      canvas.line(center, plot.bottom, center, plot.bottom + 4, "ax")
      canvas.text(label, x, plot.bottom + 18, "m", anchor: .middle)
      free = x - width / 2
    }
  }
}
