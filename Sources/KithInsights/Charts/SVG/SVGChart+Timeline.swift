// SPDX-License-Identifier: Apache-2.0

internal import KithCore

extension SVGChart {
  /// Limits marks and levels in the image; the table has all of them.
  private static let mostMarks = 12
  /// A line with at most this many points shows each point.
  private static let mostDots = 40

  func draw(_ timeline: Timeline, in frame: Frame, on canvas: inout SVGCanvas) {
    guard let times = timeline.timeRange, let values = timeline.valueRange else { return }
    let top = legend(legendItems(timeline), in: frame, on: &canvas)
    let marks = timeline.drawnMarks(in: times).prefix(Self.mostMarks)
    let markRows = marks.isEmpty ? 0 : min(marks.count, 2)
    let ends = endLabels(timeline, in: times)
    let right = (ends.map { SVGCanvas.width($0.text) }.max() ?? 0) + 12

    var plot = frame
    plot.y += max(top, 8) + Double(markRows) * 16
    let value = ValueScale(
      values, kind: kind, most: max(2, Int((frame.bottom - plot.y) / 36)),
      mayBreak: !timeline.startsAtZero)
    plot.height = max(20, frame.bottom - plot.y - (value.isBroken ? 60 : 44))
    plot.x += labelWidth(value)
    plot.width = max(20, frame.right - plot.x - right)
    let plane = Plane(plot: plot, time: TimeScale(times, clock: timeline.clock), value: value)

    valueAxis(value, in: plot, on: &canvas)
    timeAxis(plane, in: frame, on: &canvas)
    for band in timeline.bands { draw(band, hue: bandHue(timeline), timeline.path, plane, on: &canvas) }
    let levels = timeline.levelsByDistance
    draw(levels.near.prefix(Self.mostMarks), plane, on: &canvas)
    name(levels.far.prefix(Self.mostMarks), plane, on: &canvas)
    draw(Array(marks), rows: markRows, plane, on: &canvas)
    for (index, series) in timeline.series.enumerated() {
      draw(
        series, index, series.path ?? timeline.path, plane, filled: timeline.series.count == 1, on: &canvas)
    }
    draw(ends, plane, on: &canvas)
    canvas.rows = rows(of: timeline, on: plane)
  }

  /// The rows of the table: at the value of the last line that has one then.
  private func rows(of timeline: Timeline, on plane: Plane) -> DrawnRows {
    let row = timeline.timeOfRow
    var places: [Instant: DrawnRows.Place] = [:]
    for mark in timeline.marks { places[row(mark.at)] = DrawnRows.Place(x: plane.x(mark.at)) }
    for point in timeline.bands.flatMap(\.points) {
      places[row(point.at)] = DrawnRows.Place(x: plane.x(point.at))
    }
    for point in timeline.series.flatMap(\.sortedPoints) where point.value.isFinite {
      places[row(point.at)] = DrawnRows.Place(x: plane.x(point.at), y: plane.y(point.value))
    }
    return DrawnRows(
      places: timeline.rowTimes(row).suffix(ChartTable.mostHTMLRows).map { places[$0] }, areAcross: true)
  }

  /// Maps times and values to coordinates.
  struct Plane {
    let plot: Frame
    let time: TimeScale
    let value: ValueScale

    func x(_ moment: Instant) -> Double { plot.x + time.fraction(moment) * plot.width }
    func y(_ value: Double) -> Double { plot.bottom - self.value.fraction(value) * plot.height }
  }

  private func legendItems(_ timeline: Timeline) -> [LegendItem] {
    let lines = timeline.series.enumerated().map { index, series in
      // A line needs two points.
      series.points.count { $0.value.isFinite } == 1
        ? LegendItem(name: series.name, classes: "dot f\(index % ChartPalette.seriesCount)", sample: .dot)
        : LegendItem(name: series.name, classes: lineClasses(series, index), sample: .line)
    }
    let bands = timeline.bands.enumerated().map { index, band in
      LegendItem(name: band.name, classes: "bd f\(bandHue(timeline))", sample: .area(layers: index + 1))
    }
    return lines.count + bands.count > 1 || timeline.series.first?.style == .dashed ? lines + bands : []
  }

  /// Bands have the hue of the line of estimates; where they lie upon each other, it is darker.
  private func bandHue(_ timeline: Timeline) -> Int {
    (timeline.series.firstIndex { $0.style == .dashed } ?? 0) % ChartPalette.seriesCount
  }

  private func lineClasses(_ series: Timeline.Series, _ index: Int) -> String {
    "ln s\(index % ChartPalette.seriesCount)" + (series.style == .dashed ? " ds" : "")
  }

  private func timeAxis(_ plane: Plane, in frame: Frame, on canvas: inout SVGCanvas) {
    let plot = plane.plot
    canvas.line(plot.x, plot.bottom, plot.right, plot.bottom, "ax")
    var free = plot.x - 20
    for tick in plane.time.ticks(most: max(2, Int(plot.width / 58))) {
      let (x, half) = (plane.x(tick.at), SVGCanvas.width(tick.label) / 2)
      canvas.line(x, plot.bottom, x, plot.bottom + 4, "ax")
      guard x - half >= free, x + half <= frame.right else { continue }
      canvas.text(tick.label, x, plot.bottom + 18, "m", anchor: .middle)
      free = x + half + 6
    }
    canvas.text(
      plane.time.caption, frame.right, plot.bottom + 36, "m", anchor: .end, width: frame.width)
    guard let note = plane.value.breakNote else { return }
    // A zigzag in the axis, the symbol for an omitted part; the curve begins on the right of it.
    let zigzag = [(0.0, 0.0), (0, -5), (-6, -9), (0, -14), (-6, -19), (0, -24), (0, -34)].map {
      (x: plot.x + $0.0, y: plot.bottom + $0.1)
    }
    canvas.path(SVGCanvas.path(zigzag), "brk")
    canvas.text(note, frame.right, plot.bottom + 52, "b", anchor: .end, width: frame.width)
  }

  private func draw(
    _ band: Timeline.Band, hue: Int, _ path: Timeline.Path, _ plane: Plane, on canvas: inout SVGCanvas
  ) {
    var data = ""
    for segment in band.segments(on: plane.time, columns: Int(plane.plot.width / 2)).map(path.corners) {
      let upper = segment.map { (x: plane.x($0.at), y: plane.y($0.high)) }
      let lower = segment.reversed().map { (x: plane.x($0.at), y: plane.y($0.low)) }
      data += SVGCanvas.path(upper + lower, isClosed: true)
    }
    canvas.path(data, "bd f\(hue)")
  }

  private func draw(
    _ series: Timeline.Series, _ index: Int, _ path: Timeline.Path, _ plane: Plane, filled: Bool,
    on canvas: inout SVGCanvas
  ) {
    let segments = series.segments(on: plane.time, columns: Int(plane.plot.width / 1.5))
    let lines = segments.map { path.corners($0).map { (x: plane.x($0.at), y: plane.y($0.value)) } }
    let count = segments.reduce(0) { $0 + $1.count }
    if filled, !plane.value.isBroken, count <= 800 {
      let base = plane.y(0)
      let areas = lines.map { line in
        SVGCanvas.path(
          [(x: line[0].x, y: base)] + line + [(x: line[line.count - 1].x, y: base)], isClosed: true)
      }
      canvas.path(areas.joined(), "ar f\(index % ChartPalette.seriesCount)")
    }
    canvas.path(lines.map { SVGCanvas.path($0) }.joined(), lineClasses(series, index))
    guard count <= Self.mostDots else { return }
    // Steps have their corners as marks.
    for segment in segments where path == .line || segment.count == 1 {
      for point in segment {
        let moment = Moment.tableText(point.at, plane.time.clock, withTime: true)
        canvas.path(
          Self.marker(index, (x: plane.x(point.at), y: plane.y(point.value))),
          "dot f\(index % ChartPalette.seriesCount)",
          title: "\(series.name), \(moment): \(kind.text(point.value))")
      }
    }
  }

  /// A disc, square, diamond or triangle, so lines differ without colour.
  private static func marker(_ index: Int, _ place: (x: Double, y: Double)) -> String {
    let corners: [(Double, Double)]
    switch index % 4 {
    case 0:
      let (x, y) = (SVGCanvas.number(place.x - 3.5), SVGCanvas.number(place.y))
      return "M\(x) \(y)a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0Z"
    case 1: corners = [(-3.2, -3.2), (3.2, -3.2), (3.2, 3.2), (-3.2, 3.2)]
    case 2: corners = [(0, -4.4), (4.4, 0), (0, 4.4), (-4.4, 0)]
    default: corners = [(0, -4.2), (4.2, 3.4), (-4.2, 3.4)]
    }
    return SVGCanvas.path(corners.map { (x: place.x + $0.0, y: place.y + $0.1) }, isClosed: true)
  }
}

extension SVGChart {
  /// The last value of a line, shown at its end.
  struct EndLabel {
    let point: Timeline.Point
    let text: String
    let index: Int
  }

  /// Labels of lines that reach the right edge; none if there are many lines, as they would not fit.
  private func endLabels(_ timeline: Timeline, in times: ClosedRange<Instant>) -> [EndLabel] {
    guard timeline.series.count <= 3 else { return [] }
    // A line that ends a little earlier seems to end there, too.
    let edge = times.upperBound - (times.upperBound - times.lowerBound) / 100
    return timeline.series.enumerated().compactMap { index, series in
      let last = series.points.lazy.filter { $0.value.isFinite }.max { $0.at < $1.at }
      guard let last, last.at >= edge else { return nil }
      return EndLabel(point: last, text: kind.labelText(last.value), index: index)
    }
  }

  private func draw(_ labels: [EndLabel], _ plane: Plane, on canvas: inout SVGCanvas) {
    var free = plane.plot.y - 20
    for label in labels.sorted(by: { $0.point.value > $1.point.value }) {
      let place = (x: plane.x(label.point.at), y: plane.y(label.point.value))
      canvas.circle(place.x, place.y, radius: 3.5, "dot f\(label.index % ChartPalette.seriesCount)")
      let y = max(place.y + 4, free + 14)
      canvas.text(label.text, place.x + 8, y, "b h")
      free = y
    }
  }

  private func draw(_ levels: ArraySlice<Timeline.Level>, _ plane: Plane, on canvas: inout SVGCanvas) {
    for level in levels where level.value.isFinite {
      let y = plane.y(level.value)
      canvas.line(plane.plot.x, y, plane.plot.right, y, "lv")
      canvas.text(
        "\(level.label): \(kind.labelText(level.value))", plane.plot.x + 6,
        y > plane.plot.y + 16 ? y - 6 : y + 15,
        "h", width: plane.plot.width - 12)
    }
  }

  /// Names levels that are outside of the picture at its edge, with the direction.
  private func name(_ levels: ArraySlice<Timeline.Level>, _ plane: Plane, on canvas: inout SVGCanvas) {
    for (index, level) in levels.enumerated() {
      let isAbove = level.value > plane.value.high
      let text = "\(isAbove ? "↑" : "↓") \(level.label): \(kind.labelText(level.value))"
      let y = isAbove ? plane.plot.y + 14 : plane.plot.bottom - 8
      canvas.text(
        text, plane.plot.x + 6, y + Double(index) * (isAbove ? 15 : -15), "h", width: plane.plot.width - 12)
    }
  }

  private func draw(_ marks: [Timeline.Mark], rows: Int, _ plane: Plane, on canvas: inout SVGCanvas) {
    let plot = plane.plot
    for (index, mark) in marks.enumerated() {
      let x = plane.x(mark.at)
      let y = plot.y - 5 - Double(index % max(1, rows)) * 16
      canvas.line(x, y + 1, x, plot.bottom, "mk")
      let isLeft = x - plot.x < plot.width / 2
      let room = isLeft ? plot.right - x : x - plot.x
      canvas.text(
        mark.label, x + (isLeft ? 4 : -4), y, "m h", anchor: isLeft ? .start : .end, width: room)
    }
  }
}
