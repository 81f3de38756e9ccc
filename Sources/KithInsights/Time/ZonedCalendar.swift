// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// A time zone's offsets from UTC, and when they change.
public struct ZonedCalendar: Sendable, Hashable {
  /// A change of the offset.
  public struct Change: Sendable, Hashable {
    public let at: Instant
    /// The offset from UTC from then on; negative west of Greenwich.
    public let secondsEast: Int

    /// Creates a change.
    public init(at: Instant, secondsEast: Int) {
      self.at = at
      self.secondsEast = secondsEast
    }
  }

  /// The name that people know: `UTC`, `Europe/Berlin`.
  public let name: String
  private let before: Int
  private let changes: [Change]

  /// A clock that shows UTC.
  public static let utc = ZonedCalendar(name: "UTC")

  /// - Parameters:
  ///   - secondsEast: the offset from UTC before the first change.
  ///   - changes: in any order.
  public init(name: String, secondsEast: Int = 0, changes: [Change] = []) {
    self.name = name
    before = secondsEast
    self.changes = changes.sorted { $0.at < $1.at }
  }

  /// The offset from UTC at a time.
  public func secondsEast(at moment: Instant) -> Int {
    var (low, high) = (0, changes.count)
    while low < high {
      let middle = (low + high) / 2
      if changes[middle].at <= moment { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? before : changes[low - 1].secondsEast
  }

  /// The hour of the day, 0 to 23.
  public func hour(at moment: Instant) -> Int {
    Int(local(moment).flooredQuotient(3_600) - 24 * day(of: moment))
  }

  /// The day of the week, from 1 for Monday to 7 for Sunday, as in ISO 8601.
  public func weekday(at moment: Instant) -> Int { Self.weekday(ofDay: day(of: moment)) }

  /// The period of a unit that contains a time.
  public func period(_ unit: CalendarUnit, at moment: Instant) -> CalendarPeriod {
    period(unit, from: unit.firstDay(of: day(of: moment)))
  }

  /// All periods of a unit that overlap a time range, earliest first; none after the year 9999.
  public func periods(_ unit: CalendarUnit, in time: Range<Instant>) -> [CalendarPeriod] {
    guard !time.isEmpty else { return [] }
    var found = [period(unit, at: time.lowerBound)]
    let end = min(time.upperBound, Datetime.latest)
    while let last = found.last, last.end < end {
      found.append(period(unit, from: unit.day(after: last.firstDay)))
    }
    return found
  }

  private func period(_ unit: CalendarUnit, from firstDay: Int64) -> CalendarPeriod {
    CalendarPeriod(
      unit: unit, firstDay: firstDay, start: midnight(of: firstDay),
      end: midnight(of: unit.day(after: firstDay)))
  }

  /// When a day begins that is written as in ISO 8601, such as `2026-11-25`; nil for other texts.
  public func start(ofDay text: String) -> Instant? {
    guard text.utf8.count == 10, let date = Datetime("\(text)T00:00:00Z") else { return nil }
    return midnight(of: date.instant.secondsSinceEpoch.flooredQuotient(86_400))
  }

  /// When a day begins: the first of two midnights, or the jump if the clock skips midnight.
  private func midnight(of day: Int64) -> Instant {
    let local = Instant(secondsSinceEpoch: day * 86_400)
    let (before, after) = (secondsEast(at: local - .days(1)), secondsEast(at: local + .days(1)))
    let first = local - .seconds(max(before, after))
    guard before != after, first + .seconds(secondsEast(at: first)) != local else { return first }
    let second = local - .seconds(min(before, after))
    // If the clock shows another time at both, it is put forward between them.
    let jump = changes.first { first < $0.at && $0.at <= second }
    return before < after ? jump?.at ?? second : second
  }

  /// What the clock shows, in seconds. Times outside the years 0000 to 9999 are clamped.
  private func local(_ moment: Instant) -> Int64 {
    let moment = min(max(moment, Datetime.earliest), Datetime.latest)
    return moment.secondsSinceEpoch + Int64(secondsEast(at: moment))
  }

  private func day(of moment: Instant) -> Int64 { local(moment).flooredQuotient(86_400) }

  fileprivate static func weekday(ofDay day: Int64) -> Int {
    // 1 January 1970 was a Thursday.
    Int(day + 3 - (day + 3).flooredQuotient(7) * 7) + 1
  }
}

/// A calendar unit for periods.
public enum CalendarUnit: String, Sendable, Hashable, CaseIterable {
  case day
  /// From Monday to Sunday, as in ISO 8601.
  case week
  case month, year

  fileprivate func firstDay(of day: Int64) -> Int64 {
    let date = CivilDate(daysSinceEpoch: day)
    return switch self {
    case .day: day
    case .week: day - Int64(ZonedCalendar.weekday(ofDay: day) - 1)
    case .month: day - date.day + 1
    case .year: CivilDate(year: date.year, month: 1, day: 1).daysSinceEpoch
    }
  }

  /// The first day of the period after the one that begins with a day.
  fileprivate func day(after firstDay: Int64) -> Int64 {
    let date = CivilDate(daysSinceEpoch: firstDay)
    return switch self {
    case .day: firstDay + 1
    case .week: firstDay + 7
    case .month: firstDay + CivilDate.days(inMonth: date.month, of: date.year)
    case .year: CivilDate(year: date.year + 1, month: 1, day: 1).daysSinceEpoch
    }
  }
}

/// A calendar day, week, month or year.
public struct CalendarPeriod: Sendable, Hashable, CustomStringConvertible {
  public let unit: CalendarUnit
  /// Days since 1 January 1970.
  let firstDay: Int64
  /// When it begins.
  public let start: Instant
  /// When the next one begins.
  public let end: Instant

  /// In ISO 8601 format: `2026-11-24`, `2026-W48`, `2026-11`, `2026`.
  public var description: String {
    func digits(_ value: Int64, _ count: Int) -> String {
      let text = String(value)
      return String(repeating: "0", count: max(0, count - text.count)) + text
    }
    let date = CivilDate(daysSinceEpoch: firstDay)
    let year = digits(date.year, 4)
    switch unit {
    case .day: return "\(year)-\(digits(date.month, 2))-\(digits(date.day, 2))"
    case .month: return "\(year)-\(digits(date.month, 2))"
    case .year: return year
    case .week:
      // A week belongs to the year of its Thursday.
      let thursday = CivilDate(daysSinceEpoch: firstDay + 3)
      let newYear = CivilDate(year: thursday.year, month: 1, day: 1).daysSinceEpoch
      return "\(digits(thursday.year, 4))-W\(digits((firstDay + 3 - newYear) / 7 + 1, 2))"
    }
  }

  /// Whether it contains a time.
  public func contains(_ moment: Instant) -> Bool { start <= moment && moment < end }
}

/// Finds the period that contains a time, in consecutive periods.
struct PeriodIndex {
  private let starts: [Instant]
  private let end: Instant

  init(_ periods: [CalendarPeriod]) {
    starts = periods.map(\.start)
    end = periods.last?.end ?? .distantPast
  }

  func index(of moment: Instant) -> Int? {
    guard let first = starts.first, first <= moment, moment < end else { return nil }
    var (low, high) = (0, starts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= moment { low = middle } else { high = middle }
    }
    return low
  }
}
