// SPDX-License-Identifier: Apache-2.0

extension InsightReport {
  private static let width = 960.0
  private static let margin = 28.0
  private static let mostCards = 8

  /// A single image for embedding: the title, the first eight cards and the first chart.
  public func svg() -> String {
    var canvas = SVGCanvas()
    let chart = sections.lazy.compactMap(\.chart).first
    let shown = cards.prefix(Self.mostCards)
    let inside = Self.width - 2 * Self.margin
    let top = subtitle == nil ? 84.0 : 104.0
    let columns = Self.columns(shown.count)
    let cardsHeight = Double((shown.count + columns - 1) / columns) * 92
    let chartTop = top + cardsHeight + (shown.isEmpty ? 0 : 20)
    let chartHeight = chart.map { min($0.goodHeight(forWidth: 800), 420) } ?? 0
    let height = chartTop + (chart == nil ? 0 : chartHeight + 34) + Self.margin

    canvas.rect(Frame(x: 0, y: 0, width: Self.width, height: height), "bg")
    canvas.text(title, Self.margin, 44, "t", width: inside / 1.45)
    if let subtitle { canvas.text(subtitle, Self.margin, 66, "", width: inside) }
    canvas.text(origin, Self.margin, subtitle == nil ? 66 : 86, "m", width: inside)
    draw(Array(shown), columns: columns, top, inside, on: &canvas)
    if let chart {
      canvas.text(chart.title, Self.margin, chartTop + 14, "b", width: inside)
      let frame = Frame(x: Self.margin, y: chartTop + 28, width: inside, height: chartHeight)
      SVGChart(chart: chart).draw(in: frame, on: &canvas)
    }
    let figures = shown.map { "\($0.label): \($0.value)." }
    let summary = (figures + [chart?.summary].compactMap { $0 }).joined(separator: " ")
    return Chart.element(
      canvas, width: Self.width, height: height, title: title, summary: summary, id: "kr",
      attributes:
        " xmlns=\"http://www.w3.org/2000/svg\" width=\"\(SVGCanvas.number(Self.width))\" height=\"\(SVGCanvas.number(height))\"",
      style: "<style>\(ChartPalette.standalone)</style>")
  }

  /// At most five per row, in rows of similar length.
  private static func columns(_ count: Int) -> Int {
    let rows = max(1, (count + 4) / 5)
    return max(1, (count + rows - 1) / rows)
  }

  private func draw(
    _ cards: [Card], columns: Int, _ top: Double, _ inside: Double, on canvas: inout SVGCanvas
  ) {
    let width = (inside - Double(columns - 1) * 12) / Double(columns)
    for (index, card) in cards.enumerated() {
      let box = Frame(
        x: Self.margin + Double(index % columns) * (width + 12), y: top + Double(index / columns) * 92,
        width: width,
        height: 80)
      canvas.rect(box, "box", radius: 10)
      canvas.text(card.label, box.x + 14, box.y + 22, "m", width: width - 28)
      canvas.text(card.value, box.x + 14, box.y + 46, "v", width: (width - 28) / 1.8)
      let below =
        card.change.map { [card.sign, $0].filter { !$0.isEmpty }.joined(separator: " ") } ?? card.detail
      canvas.text(below ?? "", box.x + 14, box.y + 66, card.change == nil ? "m" : "b", width: width - 28)
    }
  }
}
