// SPDX-License-Identifier: Apache-2.0

internal import KithCore

extension Timeline.Series {
  /// The points in order of time; of equal times the last one is kept.
  var sortedPoints: [Timeline.Point] {
    var isSorted = true
    for index in points.indices.dropFirst() where points[index - 1].at >= points[index].at {
      isSorted = false
      break
    }
    guard !isSorted else { return points }
    // Positions break ties, because sorting is not stable.
    let order = points.indices.sorted { (points[$0].at, $0) < (points[$1].at, $1) }
    var sorted: [Timeline.Point] = []
    sorted.reserveCapacity(order.count)
    for index in order {
      if sorted.last?.at == points[index].at { sorted.removeLast() }
      sorted.append(points[index])
    }
    return sorted
  }

  /// The line in segments without gaps, in order of time, with at most four points per column.
  ///
  /// The first, lowest, highest and last point of each column are kept, so no extreme is lost. A gap within
  /// one column is too narrow to see, and is ignored.
  func segments(on scale: TimeScale, columns: Int) -> [[Timeline.Point]] {
    let columns = max(1, columns)
    func column(_ moment: Instant) -> Int { Int(scale.fraction(moment) * Double(columns)) }
    var (segments, segment) = ([[Timeline.Point]](), [Timeline.Point]())
    var bucket: Bucket?
    var wasMissing = false

    func close() {
      bucket?.flush(to: &segment)
      bucket = nil
      if !segment.isEmpty { segments.append(segment) }
      segment = []
    }
    for point in sortedPoints {
      guard point.value.isFinite else {
        wasMissing = true
        continue
      }
      let place = column(point.at)
      if let known = bucket, known.column == place {
        bucket?.add(point)
      } else {
        if let last = bucket?.last, wasMissing || isGap(last.at, point.at) { close() }
        bucket?.flush(to: &segment)
        bucket = Bucket(column: place, point)
      }
      wasMissing = false
    }
    close()
    return segments
  }

  private func isGap(_ earlier: Instant, _ later: Instant) -> Bool {
    guard let maxGap else { return false }
    return later - earlier > maxGap
  }
}

extension Timeline.Path {
  /// The corners of a line through points in order of time.
  func corners(_ points: [Timeline.Point]) -> [Timeline.Point] {
    guard self == .steps, let first = points.first else { return points }
    return zip(points, points.dropFirst()).reduce(into: [first]) { corners, ends in
      if ends.0.value != ends.1.value { corners.append(Timeline.Point(at: ends.1.at, ends.0.value)) }
      corners.append(ends.1)
    }
  }

  /// The corners of a band through points in order of time.
  func corners(_ points: [Timeline.Band.Point]) -> [Timeline.Band.Point] {
    guard self == .steps, let first = points.first else { return points }
    return zip(points, points.dropFirst()).reduce(into: [first]) { corners, ends in
      corners.append(Timeline.Band.Point(at: ends.1.at, ends.0.low, ends.0.high))
      corners.append(ends.1)
    }
  }
}

/// The points of one column, reduced to four.
private struct Bucket {
  let column: Int
  private var first: Timeline.Point
  private var lowest: Timeline.Point
  private var highest: Timeline.Point
  private(set) var last: Timeline.Point

  init(column: Int, _ point: Timeline.Point) {
    self.column = column
    (first, lowest, highest, last) = (point, point, point, point)
  }

  mutating func add(_ point: Timeline.Point) {
    if point.value < lowest.value { lowest = point }
    if point.value > highest.value { highest = point }
    last = point
  }

  func flush(to segment: inout [Timeline.Point]) {
    let middle = lowest.at <= highest.at ? [lowest, highest] : [highest, lowest]
    for point in [first] + middle + [last] where segment.last?.at != point.at { segment.append(point) }
  }
}

extension Timeline.Band {
  /// The band in segments without gaps: for each column the widest bounds, at the column's first time.
  func segments(on scale: TimeScale, columns: Int) -> [[Point]] {
    let columns = max(1, columns)
    let order = points.indices.sorted { (points[$0].at, $0) < (points[$1].at, $1) }
    var (segments, segment, column) = ([[Point]](), [Point](), -1)
    for index in order {
      var point = points[index]
      guard point.low.isFinite, point.high.isFinite else {
        if !segment.isEmpty { segments.append(segment) }
        (segment, column) = ([], -1)
        continue
      }
      if point.low > point.high { swap(&point.low, &point.high) }
      let place = Int(scale.fraction(point.at) * Double(columns))
      if place == column, let last = segment.last {
        segment[segment.count - 1].low = min(last.low, point.low)
        segment[segment.count - 1].high = max(last.high, point.high)
      } else {
        segment.append(point)
        column = place
      }
    }
    return segment.isEmpty ? segments : segments + [segment]
  }
}
