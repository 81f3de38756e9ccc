// SPDX-License-Identifier: Apache-2.0

extension Chart {
  /// The chart as a standalone SVG image, with title, notes, and colours for light and dark mode.
  ///
  /// - Parameters:
  ///   - width: in pixels, 200 to 4,000.
  ///   - height: in pixels, 120 to 4,000.
  public func svg(width: Int = 720, height: Int = 400) -> String {
    let (width, height) = (Self.bounded(width, 200), Self.bounded(height, 120))
    var canvas = SVGCanvas()
    canvas.rect(Frame(x: 0, y: 0, width: width, height: height), "bg")
    var plot = Frame(x: 16, y: 16, width: width - 32, height: height - 32)
    canvas.text(title, plot.x, plot.y + 14, "t", width: plot.width / 1.45)
    plot.y += 26
    if let subtitle {
      canvas.text(subtitle, plot.x, plot.y + 10, "m", width: plot.width)
      plot.y += 20
    }
    plot.y += 6
    let lines = notes.flatMap { ChartLabel.wrapped($0, to: Int(plot.width / SVGCanvas.cellWidth)) }.prefix(
      max(0, Int(height / 100)))
    for (index, line) in lines.enumerated() {
      canvas.text(line, plot.x, height - 14 - Double(lines.count - 1 - index) * 16, "m")
    }
    plot.height = height - plot.y - 16 - (lines.isEmpty ? 0 : Double(lines.count) * 16 + 4)
    SVGChart(chart: self).draw(in: plot, on: &canvas)
    return Self.element(
      canvas, width: width, height: height, title: title, summary: summary, id: "k" + identifier,
      attributes:
        " xmlns=\"http://www.w3.org/2000/svg\" width=\"\(SVGCanvas.number(width))\" height=\"\(SVGCanvas.number(height))\"",
      style: "<style>\(ChartPalette.standalone)</style>")
  }

  /// The chart for a page that provides its title, its notes and the rules of ``ChartPalette``.
  ///
  /// - Parameter locatesRows: whether it says where the rows of its table are, in attributes for a script.
  func inlineSVG(
    width: Double, height: Double, id: String, classes: String, locatesRows: Bool = false
  ) -> String {
    var canvas = SVGCanvas()
    SVGChart(chart: self).draw(in: Frame(x: 2, y: 2, width: width - 4, height: height - 4), on: &canvas)
    return Self.element(
      canvas, width: width, height: height, title: title, summary: summary, id: id,
      attributes: locatesRows ? canvas.rows?.attributes ?? "" : "", classes: "kc \(classes)")
  }

  /// A readable height for a chart of a given width.
  func goodHeight(forWidth width: Double) -> Double {
    switch content {
    case .timeline, .flows: isEmpty ? 120 : min(max(width * 0.42, 240), 360)
    case .categories(let bars): isEmpty ? 120 : Double(min(bars.items.count, 60)) * 30 + 34
    case .grid(let grid):
      isEmpty ? 120 : Double(min(grid.rowLabels.count, SVGChart.mostGridRows)) * (width < 500 ? 22 : 28) + 76
    }
  }

  static func element(
    _ canvas: SVGCanvas, width: Double, height: Double, title: String, summary: String, id: String,
    attributes: String, classes: String = "kc", style: String = ""
  ) -> String {
    "<svg\(attributes) class=\"\(classes)\" viewBox=\"0 0 \(SVGCanvas.number(width)) \(SVGCanvas.number(height))\" "
      + "role=\"img\" aria-labelledby=\"\(id)-t \(id)-d\"><title id=\"\(id)-t\">\(ChartLabel.escaped(named(title)))"
      + "</title><desc id=\"\(id)-d\">\(ChartLabel.escaped(summary, most: 2_000))</desc>\(style)\(canvas.body)</svg>"
  }

  /// Screen readers skip an element without a name.
  private static func named(_ title: String) -> String {
    ChartLabel.clean(title).allSatisfy(\.isWhitespace) ? "Chart" : title
  }

  private static func bounded(_ size: Int, _ least: Int) -> Double { Double(min(max(size, least), 4_000)) }

  /// Stable for a given title, so that several images in one page have distinct ids.
  private var identifier: String {
    let hash = (title + (subtitle ?? "")).utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01B3
    }
    return String(hash, radix: 36)
  }
}

/// Draws the content of a chart into a frame.
struct SVGChart {
  let chart: Chart
  var kind: ValueKind { chart.valueKind }

  static let mostGridRows = 36

  func draw(in frame: Frame, on canvas: inout SVGCanvas) {
    let frame = Frame(
      x: frame.x, y: frame.y, width: max(80, frame.width), height: max(60, frame.height))
    guard !chart.isEmpty else {
      canvas.rect(frame, "no", radius: 8)
      canvas.text("No data", frame.x + frame.width / 2, frame.y + frame.height / 2 + 4, "m", anchor: .middle)
      return
    }
    switch chart.content {
    case .timeline(let timeline): draw(timeline, in: frame, on: &canvas)
    case .flows(let flows): draw(flows, in: frame, on: &canvas)
    case .categories(let bars): draw(bars, in: frame, on: &canvas)
    case .grid(let grid): draw(grid, in: frame, on: &canvas)
    }
  }

  /// A legend entry: a sample of a mark and its name.
  struct LegendItem {
    enum Sample {
      case line, dot, box, hatched
      /// As many areas upon each other.
      case area(layers: Int)
      /// Only the name.
      case none
    }

    let name: String
    let classes: String
    let sample: Sample
  }

  /// Draws a legend on as many lines as it needs.
  ///
  /// - Returns: its height.
  func legend(_ items: [LegendItem], in frame: Frame, on canvas: inout SVGCanvas) -> Double {
    var (x, y) = (frame.x, frame.y)
    for item in items {
      let sampleWidth = if case .none = item.sample { 0.0 } else { 28.0 }
      let width = min(SVGCanvas.width(item.name) + sampleWidth + 16, frame.width)
      if x > frame.x, x + width > frame.right {
        x = frame.x
        y += 18
      }
      switch item.sample {
      case .line: canvas.line(x + 1, y + 7, x + 21, y + 7, item.classes)
      case .dot: canvas.circle(x + 11, y + 7, radius: 3.5, item.classes)
      case .none: break
      case .area(let layers):
        for _ in 0..<layers {
          canvas.rect(Frame(x: x, y: y + 1, width: 22, height: 12), item.classes, radius: 2)
        }
      case .box: canvas.rect(Frame(x: x + 5, y: y + 1, width: 12, height: 12), item.classes, radius: 2)
      case .hatched:
        let box = Frame(x: x + 5, y: y + 1, width: 12, height: 12)
        canvas.rect(box, item.classes, radius: 2)
        canvas.hatch(box, "hatch loss")
      }
      let room = frame.width - sampleWidth
      let lines = ChartLabel.wrapped(item.name, to: Int(room / SVGCanvas.cellWidth)).prefix(3)
      for (number, line) in lines.enumerated() {
        canvas.text(line, x + sampleWidth, y + 11 + Double(number) * 15, "m", width: room)
      }
      y += Double(max(1, lines.count) - 1) * 15
      x += width
    }
    return items.isEmpty ? 0 : y - frame.y + 24
  }

  /// Horizontal grid lines with their values on the left.
  func valueAxis(_ scale: ValueScale, in plot: Frame, on canvas: inout SVGCanvas, sign: Bool = true) {
    for tick in scale.ticks {
      let y = plot.bottom - scale.fraction(tick) * plot.height
      canvas.line(plot.x, y, plot.right, y, tick == 0 ? "ax" : "gl")
      canvas.text(scale.label(sign ? tick : tick.magnitude), plot.x - 8, y + 4, "m", anchor: .end)
    }
  }

  /// The width of an axis's labels.
  func labelWidth(_ scale: ValueScale) -> Double {
    (scale.ticks.map { SVGCanvas.width(scale.label($0)) }.max() ?? 0) + 12
  }
}
