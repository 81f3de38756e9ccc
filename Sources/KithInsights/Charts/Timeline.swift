// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// Values over time, as lines.
///
/// Points may be in any order; of equal times the last one is used.
/// A value that is not finite is a gap.
public struct Timeline: Sendable, Hashable {
  /// A value at a time.
  public struct Point: Sendable, Hashable {
    public var at: Instant
    public var value: Double

    public init(at moment: Instant, _ value: Double) {
      at = moment
      self.value = value
    }
  }

  /// One line.
  public struct Series: Sendable, Hashable {
    public var name: String
    public var points: [Point]
    public var style: Style
    /// A longer interval between two points is a gap in the line; nil connects all
    /// points.
    public var maxGap: Duration?
    /// What is drawn between two points; nil for the path of the timeline.
    public var path: Path?

    /// How certain the values are.
    public enum Style: String, Sendable, Hashable, CaseIterable {
      /// Counts.
      case solid
      /// Estimates, or survivors only.
      case dashed
    }

    public init(
      _ name: String, points: [Point], style: Style = .solid, maxGap: Duration? = nil, path: Path? = nil
    ) {
      self.path = path
      self.name = name
      self.points = points
      self.style = style
      self.maxGap = maxGap
    }
  }

  /// A range of expected values. Of several, each lies within the one before.
  public struct Band: Sendable, Hashable {
    /// Bounds at a time.
    public struct Point: Sendable, Hashable {
      public var at: Instant
      public var low: Double
      public var high: Double

      public init(at moment: Instant, _ low: Double, _ high: Double) {
        at = moment
        self.low = low
        self.high = high
      }
    }

    public var name: String
    public var points: [Point]

    public init(_ name: String, points: [Point]) {
      self.name = name
      self.points = points
    }
  }

  /// A named time, drawn as a vertical line; outside the time range of the points it is left out.
  public struct Mark: Sendable, Hashable {
    public var at: Instant
    public var label: String

    public init(at moment: Instant, _ label: String) {
      at = moment
      self.label = label
    }
  }

  /// A named value, drawn as a horizontal line.
  public struct Level: Sendable, Hashable {
    public var value: Double
    public var label: String

    public init(_ value: Double, _ label: String) {
      self.value = value
      self.label = label
    }
  }

  public var series: [Series]
  public var bands: [Band]
  public var marks: [Mark]
  public var levels: [Level]
  /// What is drawn between two points.
  public var path: Path
  /// Whether the axis of values begins at zero even if the values are close to each other.
  public var startsAtZero: Bool
  /// The time zone of the axis and the table.
  public var clock: ZonedCalendar

  /// What is drawn between two points.
  public enum Path: String, Sendable, Hashable, CaseIterable {
    /// A straight line.
    case line
    /// The value of the earlier point until the later one: nothing is claimed in between.
    case steps
  }

  public init(
    series: [Series], bands: [Band] = [], marks: [Mark] = [], levels: [Level] = [], path: Path = .line,
    startsAtZero: Bool = false, clock: ZonedCalendar = .utc
  ) {
    self.path = path
    self.startsAtZero = startsAtZero
    self.series = series
    self.bands = bands
    self.marks = marks
    self.levels = levels
    self.clock = clock
  }
}

extension Timeline {
  /// The time range of all values; nil if there are none.
  var timeRange: ClosedRange<Instant>? {
    var (first, last) = (Instant.distantFuture, Instant.distantPast)
    for series in series {
      for point in series.points where point.value.isFinite {
        first = min(first, point.at)
        last = max(last, point.at)
      }
    }
    for band in bands {
      for point in band.points where point.low.isFinite && point.high.isFinite {
        first = min(first, point.at)
        last = max(last, point.at)
      }
    }
    return first <= last ? first...last : nil
  }

  /// From the lowest to the highest drawn value; nil if no series or band has a value.
  var valueRange: ClosedRange<Double>? {
    guard let values = ownValues else { return nil }
    return levels.filter { isNear($0, values) }.reduce(values) {
      min($0.lowerBound, $1.value)...max($0.upperBound, $1.value)
    }
  }

  /// The levels that have a line, and those that are only named at the edge: a line far from the values would squeeze
  /// the curve.
  var levelsByDistance: (near: [Level], far: [Level]) {
    guard let values = ownValues else { return ([], []) }
    let known = levels.filter(\.value.isFinite)
    return (known.filter { isNear($0, values) }, known.filter { !isNear($0, values) })
  }

  /// Whether the values keep two thirds of the height if the axis reaches to a level.
  private func isNear(_ level: Level, _ values: ClosedRange<Double>) -> Bool {
    guard level.value.isFinite else { return false }
    let isBroken = !startsAtZero && ValueScale.isNarrow(values)
    let base = isBroken ? values.lowerBound : min(0, values.lowerBound)
    let room = (max(0, values.upperBound) - base) / 2
    return (base - (isBroken ? room : 0)...values.upperBound + room).contains(level.value)
  }

  /// From the lowest to the highest value of the series and bands; nil if there is none.
  private var ownValues: ClosedRange<Double>? {
    var (lowest, highest) = (Double.infinity, -Double.infinity)
    func widen(_ value: Double) {
      lowest = min(lowest, value)
      highest = max(highest, value)
    }
    for series in series { for point in series.points where point.value.isFinite { widen(point.value) } }
    for band in bands {
      for point in band.points where point.low.isFinite && point.high.isFinite {
        widen(point.low)
        widen(point.high)
      }
    }
    return lowest <= highest ? lowest...highest : nil
  }

  /// The marks within a time range, in order of time.
  func drawnMarks(in time: ClosedRange<Instant>) -> [Mark] {
    marks.filter { time.contains($0.at) }.sorted { ($0.at, $0.label) < ($1.at, $1.label) }
  }

  /// The marks within the time range of the values; all if there are none.
  private var knownMarks: [Mark] { timeRange.map { drawnMarks(in: $0) } ?? marks }

  func summary(_ kind: ValueKind) -> String {
    var parts: [String] = []
    for series in series {
      let points = series.points.filter { $0.value.isFinite }
      guard let first = points.min(by: { $0.at < $1.at }), let last = points.max(by: { $0.at < $1.at }),
        let low = points.min(by: { $0.value < $1.value }), let high = points.max(by: { $0.value < $1.value })
      else { continue }
      let days = (Moment.dayText(first.at, clock), Moment.dayText(last.at, clock))
      parts.append(
        "\(series.name): \(kind.text(first.value)) on \(days.0), \(kind.text(last.value)) on \(days.1), "
          + "lowest \(kind.text(low.value)), highest \(kind.text(high.value)).")
    }
    parts += bands.filter { !$0.points.isEmpty }.map { "Range shown: \($0.name)." }
    parts += knownMarks.map { "\($0.label): \(Moment.dayText($0.at, clock))." }
    parts += levelNotes(kind)
    return "Line chart, time zone \(clock.name). " + parts.prefix(20).joined(separator: " ")
  }

  private func levelNotes(_ kind: ValueKind) -> [String] {
    levels.map { "\($0.label): \(kind.text($0.value))." }
  }
}

extension Timeline {
  /// One row for each time that has a point or a mark; over more than two weeks one for each day, with its last values.
  func table(_ kind: ValueKind, mostRows: Int) -> ChartTable {
    let (marks, row) = (knownMarks, timeOfRow)
    let moments = rowTimes(row)
    let shown = moments.suffix(mostRows)
    let first = shown.first ?? .distantFuture
    let withTime = shown.contains { !Moment.isMidnight($0, clock) }

    var columns: [[Instant: String]] = []
    for series in series {
      var column: [Instant: String] = [:]
      for point in series.sortedPoints where row(point.at) >= first {
        column[row(point.at)] = kind.text(point.value)
      }
      columns.append(column)
    }
    for band in bands {
      var (low, high) = ([Instant: String](), [Instant: String]())
      for point in band.points where row(point.at) >= first {
        low[row(point.at)] = kind.text(point.low)
        high[row(point.at)] = kind.text(point.high)
      }
      columns += [low, high]
    }
    if !marks.isEmpty {
      columns.append(Dictionary(marks.map { (row($0.at), $0.label) }) { "\($0), \($1)" })
    }
    return ChartTable(
      headings: ["Time (\(clock.name))"] + series.map(\.name)
        + bands.flatMap { ["\($0.name), low", "\($0.name), high"] } + (marks.isEmpty ? [] : ["Event"]),
      rows: shown.map { moment in
        [Moment.tableText(moment, clock, withTime: withTime)] + columns.map { $0[moment] ?? "" }
      },
      omittedBefore: moments.count - shown.count, notes: levelNotes(kind))
  }

  /// The time of the table's row that has a moment.
  var timeOfRow: (Instant) -> Instant {
    guard let range = timeRange, range.upperBound - range.lowerBound > .days(14) else { return { $0 } }
    return { [clock] in clock.period(.day, at: Moment.clamped($0)).start }
  }

  /// The times of the table's rows.
  ///
  /// - Parameter row: ``timeOfRow``.
  func rowTimes(_ row: (Instant) -> Instant) -> [Instant] {
    var moments = Set<Instant>()
    for series in series { for point in series.points { moments.insert(row(point.at)) } }
    for band in bands { for point in band.points { moments.insert(row(point.at)) } }
    for mark in knownMarks { moments.insert(row(mark.at)) }
    return moments.sorted()
  }
}
