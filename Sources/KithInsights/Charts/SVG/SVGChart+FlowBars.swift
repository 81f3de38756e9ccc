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
      flows.valueRange, kind: kind, most: max(2, Int((frame.bottom - plot.y) / 44)), mayBreak: false)
    plot.x += labelWidth(scale)
    plot.width = max(20, frame.right - plot.x)
    let bars = flows.bars(most: max(1, Int(plot.width / 4)))
    let isGrouped = bars.count < flows.items.count
    plot.height = max(20, frame.bottom - plot.y - (isGrouped ? 44 : 28))

    valueAxis(scale, in: plot, on: &canvas, sign: false)
    let slot = plot.width / Double(bars.count)
    let width = min(max(slot * 0.7, 1.5), 46)
    let y = { (value: Double) in plot.bottom - scale.fraction(value) * plot.height }
    var net: [(x: Double, y: Double)] = []
    for (index, bar) in bars.enumerated() {
      let center = plot.x + (Double(index) + 0.5) * slot
      let pale = bar.isPale ? " pale" : ""
      let title = bars.count <= Self.mostTitledBars ? self.title(flows, bar) : nil
      let (gained, lost) = (y(Double(bar.gained)), y(-Double(bar.lost)))
      let gain = Frame(x: center - width / 2, y: gained, width: width, height: y(0) - gained)
      let loss = Frame(x: center - width / 2, y: y(0), width: width, height: lost - y(0))
      canvas.rect(gain, "gain\(pale)", radius: min(2, width / 4), title: title)
      canvas.rect(loss, "loss\(pale)", radius: min(2, width / 4), title: title)
      net.append((x: center, y: y(Double(bar.highestNet))))
      if bar.lowestNet != bar.highestNet { net.append((x: center, y: y(Double(bar.lowestNet)))) }
    }
    draw(net, dots: bars.count <= 40, on: &canvas)
    labels(flows, bars, slot, plot, frame, on: &canvas)
    guard isGrouped else { return }
    let count = bars[0].items.count
    canvas.text(
      "Each bar shows the largest figures of \(count) periods.", frame.right, plot.bottom + 36, "m",
      anchor: .end,
      width: frame.width)
  }

  private func legendItems(_ flows: FlowBars) -> [LegendItem] {
    var items = [
      LegendItem(name: flows.gainedName, classes: "gain", sample: .box),
      LegendItem(name: flows.lostName, classes: "loss", sample: .box),
      LegendItem(name: "Net", classes: "net", sample: .line),
    ]
    let coverages = AudienceFlow.Coverage.allCases.filter { coverage in
      flows.items.contains { $0.coverage == coverage }
    }
    let notes = coverages.compactMap(\.chartNote)
    if !notes.isEmpty {
      items.append(LegendItem(name: notes.joined(separator: ", or "), classes: "gain pale", sample: .box))
    }
    return items
  }

  private func title(_ flows: FlowBars, _ bar: FlowBars.Bar) -> String {
    guard bar.items.count == 1 else {
      return "\(flows.items[bar.items.lowerBound].label) to \(flows.items[bar.items.upperBound].label)"
    }
    let item = flows.items[bar.items.lowerBound]
    let note = item.coverage.chartNote.map { " (\($0))" } ?? ""
    return "\(item.label): \(flows.gainedName) \(kind.text(Double(item.gained))), \(flows.lostName) "
      + "\(kind.text(Double(item.lost))), net \(kind.signedText(Double(item.net)))\(note)"
  }

  private func draw(_ net: [(x: Double, y: Double)], dots: Bool, on canvas: inout SVGCanvas) {
    canvas.path(SVGCanvas.path(net), "net")
    guard dots else { return }
    for point in net { canvas.circle(point.x, point.y, radius: 2.8, "netdot") }
  }

  /// As many period names as fit, starting from the last one.
  private func labels(
    _ flows: FlowBars, _ bars: [FlowBars.Bar], _ slot: Double, _ plot: Frame, _ frame: Frame,
    on canvas: inout SVGCanvas
  ) {
    var free = frame.right + 40
    for (index, bar) in bars.enumerated().reversed() {
      let label = ChartLabel.cut(ChartLabel.clean(flows.items[bar.items.lowerBound].label), to: 16)
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
