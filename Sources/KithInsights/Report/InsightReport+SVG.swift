// SPDX-License-Identifier: Apache-2.0

extension InsightReport {
  /// The size of a picture in pixels: what sites show in full when a page or a post is shared.
  public static let pictureSize = (width: 1_200, height: 630)
  /// The size in units of the drawing, in which text can be read on a phone.
  private static let size = (width: 800.0, height: 420.0)
  private static let margin = 28.0

  /// Whether there is anything to draw.
  public var isDrawable: Bool { !cards.isEmpty || drawnSection != nil }

  /// The first section with a chart, or else with a table, or else with words.
  private var drawnSection: Section? {
    sections.first { $0.chart.map { !$0.isEmpty } ?? false } ?? sections.first {
      !($0.table?.rows.isEmpty ?? true)
    }
      ?? sections.first { !$0.paragraphs.isEmpty }
  }

  /// A single image for sharing, 1200 × 630 pixels: the title, the first cards, and the chart, the table or the words
  /// of the first section.
  public func svg(_ theme: PictureTheme = .auto) -> String {
    var canvas = SVGCanvas()
    let (width, height, inside) = (Self.size.width, Self.size.height, Self.size.width - 2 * Self.margin)
    let section = drawnSection
    canvas.rect(Frame(x: 0, y: 0, width: width, height: height), "bg")
    canvas.text(title, Self.margin, 42, "t", width: inside / 1.45)
    // Numbers need their time on a picture that travels alone.
    let moment = "\(Moment.dayText(generatedAt, clock)), \(Moment.timeText(generatedAt, clock)) \(clock.name)"
    canvas.text(
      [pictureSubtitle, moment].compactMap(\.self).joined(separator: " · "), Self.margin, 62, "m",
      width: inside)
    var rest = Frame(x: Self.margin, y: 78, width: inside, height: height - 78 - 18)
    draw(section == nil ? Array(cards.prefix(8)) : Array(cards.prefix(4)), in: &rest, on: &canvas)
    if let section { draw(section, in: rest, on: &canvas) }
    let summary = (cards.map { "\($0.label): \($0.value)." } + [section?.chart?.summary].compactMap(\.self))
    return Chart.element(
      canvas, width: width, height: height, title: title, summary: summary.joined(separator: " "), id: "kr",
      attributes:
        " xmlns=\"http://www.w3.org/2000/svg\" width=\"\(Self.pictureSize.width)\" height=\"\(Self.pictureSize.height)\"",
      style: "<style>\(ChartPalette.standalone(theme))</style>")
  }

  /// Draws cards side by side, at most four in a row, and takes their height from the frame.
  private func draw(_ cards: [Card], in frame: inout Frame, on canvas: inout SVGCanvas) {
    guard !cards.isEmpty else { return }
    let rows = (cards.count + 3) / 4
    let columns = (cards.count + rows - 1) / rows
    let width = (frame.width - Double(columns - 1) * 12) / Double(columns)
    for (index, card) in cards.enumerated() {
      let box = Frame(
        x: frame.x + Double(index % columns) * (width + 12), y: frame.y + Double(index / columns) * 88,
        width: width, height: 76)
      canvas.rect(box, "box", radius: 10)
      canvas.text(card.label, box.x + 12, box.y + 20, "m", width: width - 20)
      canvas.text(card.value, box.x + 12, box.y + 45, "v", width: (width - 20) / 1.8)
      let change = card.change.map { [card.sign, $0].filter { !$0.isEmpty }.joined(separator: " ") }
      canvas.text(
        change ?? card.detail ?? "", box.x + 12, box.y + 65, change == nil ? "m" : "b",
        // Bold letters are wider.
        width: (width - 20) / (change == nil ? 1 : 1.08))
    }
    let height = Double(rows) * 88
    frame.y += height + 6
    frame.height -= height + 6
  }

  private func draw(_ section: Section, in frame: Frame, on canvas: inout SVGCanvas) {
    var frame = frame
    func title(_ text: String, _ subtitle: String?) {
      canvas.text(text, frame.x, frame.y + 13, "b", width: frame.width)
      if let subtitle {
        canvas.text(
          subtitle, frame.x + SVGCanvas.width(text) + 14, frame.y + 13, "m",
          width: max(0, frame.width - SVGCanvas.width(text) - 14))
      }
      frame.y += 26
      frame.height -= 26
    }
    if let chart = section.chart, !chart.isEmpty {
      title(chart.title, chart.subtitle)
      let notes = Self.lines(of: chart.notes, width: frame.width)
      for (index, note) in notes.enumerated() {
        canvas.text(note, frame.x, frame.bottom - Double(notes.count - 1 - index) * 16, "m")
      }
      frame.height -= notes.isEmpty ? 0 : Double(notes.count) * 16 + 6
      SVGChart(chart: chart).draw(in: frame, on: &canvas)
    } else if let table = section.table, !table.rows.isEmpty {
      title(section.heading, nil)
      draw(table, in: frame, on: &canvas)
    } else {
      title(section.heading, nil)
      let lines = section.paragraphs.flatMap { ChartLabel.wrapped($0, to: Int(frame.width / 10)) }
        .prefix(Int(frame.height / 26))
      // A little above the middle looks like the middle.
      let top = max(0, (frame.height - Double(lines.count) * 26) * 0.4)
      for (index, line) in lines.enumerated() {
        canvas.text(line, frame.x, frame.y + top + 20 + Double(index) * 26, "p")
      }
    }
  }

  /// The lines of the first notes that fit, each of them whole: a note that is cut says nothing.
  private static func lines(of notes: [String], width: Double) -> [String] {
    notes.reduce(into: []) { lines, note in
      let more = ChartLabel.wrapped(note, to: Int(width / SVGCanvas.cellWidth))
      if lines.count + more.count <= mostNoteLines { lines += more }
    }
  }

  /// More would leave too little room for the chart.
  private static let mostNoteLines = 2

  /// Draws the first rows of a table, its columns as wide as their texts if there is room.
  private func draw(_ table: ChartTable, in frame: Frame, on canvas: inout SVGCanvas) {
    let most = max(1, Int(frame.height / 24) - 1)
    let rows = [table.headings] + table.rows.prefix(most)
    let wanted = table.headings.indices.map { column in
      (rows.compactMap { $0.indices.contains(column) ? SVGCanvas.width($0[column]) : nil }.max() ?? 0) + 18
    }
    // The texts of the first column are the longest, and give way.
    let others = wanted.dropFirst().reduce(0, +)
    let widths = [min(wanted.first ?? 0, max(120, frame.width - others))] + wanted.dropFirst()
    for (number, row) in rows.enumerated() {
      let y = frame.y + Double(number) * 24 + 14
      var x = frame.x
      if number > 0 { canvas.line(frame.x, y - 17, frame.right, y - 17, "gl") }
      for (text, width) in zip(row, widths) where x + 30 < frame.right {
        canvas.text(text, x, y, number == 0 ? "m" : "", width: min(width - 10, frame.right - x))
        x += width
      }
    }
  }
}
