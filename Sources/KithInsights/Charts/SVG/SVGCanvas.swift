// SPDX-License-Identifier: Apache-2.0

/// A rectangle in pixels, from the top left.
struct Frame {
  var x: Double
  var y: Double
  var width: Double
  var height: Double

  var right: Double { x + width }
  var bottom: Double { y + height }
}

/// Collects the elements of an SVG image. Text and titles are only escaped here.
struct SVGCanvas {
  enum Anchor: String {
    case start, middle, end
  }

  private(set) var body = ""
  /// Where the rows of the chart's table are; nil if nothing is drawn.
  var rows: DrawnRows?

  mutating func path(_ data: String, _ classes: String, title: String? = nil) {
    guard !data.isEmpty else { return }
    body += "<path class=\"\(classes)\" d=\"\(data)\"" + end("path", title)
  }

  mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ classes: String) {
    path("M\(Self.number(x1)) \(Self.number(y1))L\(Self.number(x2)) \(Self.number(y2))", classes)
  }

  mutating func rect(_ frame: Frame, _ classes: String, radius: Double = 0, title: String? = nil) {
    let corner = radius > 0 ? " rx=\"\(Self.number(radius))\"" : ""
    body +=
      "<rect class=\"\(classes)\" x=\"\(Self.number(frame.x))\" y=\"\(Self.number(frame.y))\" "
      + "width=\"\(Self.number(max(0, frame.width)))\" height=\"\(Self.number(max(0, frame.height)))\"\(corner)"
      + end("rect", title)
  }

  mutating func circle(
    _ x: Double, _ y: Double, radius: Double, _ classes: String, title: String? = nil
  ) {
    body +=
      "<circle class=\"\(classes)\" cx=\"\(Self.number(x))\" cy=\"\(Self.number(y))\" r=\"\(Self.number(radius))\""
      + end("circle", title)
  }

  /// Adds diagonal lines within a rectangle.
  mutating func hatch(_ frame: Frame, _ classes: String) {
    guard frame.width > 0, frame.height > 0, frame.width < 1e4, frame.height < 1e4 else { return }
    var data = ""
    // Each line rises to the right, from the left or lower edge to the upper or right one.
    for offset in stride(from: 3.0, to: frame.width + frame.height, by: 5) {
      let start = (x: frame.x + max(0, offset - frame.height), y: frame.y + min(offset, frame.height))
      let end = (x: frame.x + min(offset, frame.width), y: frame.y + max(0, offset - frame.width))
      data += Self.path([start, end])
    }
    path(data, classes)
  }

  /// Adds text at a baseline, truncated to a width if given.
  mutating func text(
    _ text: String, _ x: Double, _ y: Double, _ classes: String = "", anchor: Anchor = .start,
    width: Double = .infinity
  ) {
    var shown = ChartLabel.clean(text)
    if width.isFinite { shown = ChartLabel.cut(shown, to: Int(max(0, width) / Self.cellWidth)) }
    guard !shown.isEmpty else { return }
    let role = classes.isEmpty ? "" : " class=\"\(classes)\""
    let place = anchor == .start ? "" : " text-anchor=\"\(anchor.rawValue)\""
    body +=
      "<text\(role) x=\"\(Self.number(x))\" y=\"\(Self.number(y))\"\(place)>\(ChartLabel.escaped(shown))</text>"
  }

  /// Adds the elements of another canvas at an offset.
  mutating func add(_ other: SVGCanvas, x: Double, y: Double) {
    body += "<g transform=\"translate(\(Self.number(x)) \(Self.number(y)))\">\(other.body)</g>"
  }

  private func end(_ element: String, _ title: String?) -> String {
    title.map { "><title>\(ChartLabel.escaped($0))</title></\(element)>" } ?? "/>"
  }

  /// The approximate width of a letter; wide fonts need slightly more.
  static let cellWidth = 7.0

  /// The approximate width of a text; system fonts differ.
  static func width(_ text: String) -> Double { Double(ChartLabel.width(ChartLabel.clean(text))) * cellWidth }

  /// One decimal, more precise than a screen shows.
  static func number(_ value: Double) -> String {
    guard value.isFinite else { return "0" }
    let tenths = Int64((min(max(value, -1e6), 1e6) * 10).rounded())
    let (whole, remainder) = tenths.magnitude.quotientAndRemainder(dividingBy: 10)
    return (tenths < 0 ? "-" : "") + "\(whole)" + (remainder == 0 ? "" : ".\(remainder)")
  }

  /// Points as path data.
  static func path(_ points: [(x: Double, y: Double)], isClosed: Bool = false) -> String {
    guard let first = points.first else { return "" }
    var data = "M\(number(first.x)) \(number(first.y))"
    // A line of zero length with round caps is a dot.
    if points.count == 1 { data += "h0" }
    for point in points.dropFirst() { data += "L\(number(point.x)) \(number(point.y))" }
    return isClosed ? data + "Z" : data
  }
}
