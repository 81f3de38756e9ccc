// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// A time axis in a time zone.
///
/// Times are microseconds since 1970; those outside the years 0000 to 9999 are clamped.
struct TimeScale {
  struct Tick {
    let at: Int64
    let label: String
  }

  let start: Int64
  let end: Int64
  let clock: ZonedClock

  init(_ moments: ClosedRange<Int64>, clock: ZonedClock) {
    let first = Moment.clamped(moments.lowerBound)
    let last = Moment.clamped(moments.upperBound)
    // A single moment gets half a day on each side.
    let margin = first == last ? Moment.day / 2 : 0
    start = first - margin
    end = last + margin
    self.clock = clock
  }

  /// The position of a time, from 0 at the start to 1 at the end.
  func fraction(_ moment: Int64) -> Double {
    Double(min(max(moment, start), end) - start) / Double(end - start)
  }

  /// The text below the axis: its first and last day, and the time zone.
  var caption: String {
    let (first, last) = (Moment.dayText(start, clock), Moment.dayText(end, clock))
    return (first == last ? first : "\(first) – \(last)") + " · " + ChartLabel.clean(clock.name, most: 60)
  }

  /// About `most` ticks at most, at the starts of years, months, days or hours.
  func ticks(most: Int) -> [Tick] {
    let span = Double(end - start)
    let fits = { (length: Double) in span / length <= Double(max(1, most)) }
    for step in Self.clockSteps where fits(Double(step)) { return clockTicks(every: step) }
    for (unit, days, step) in Self.calendarSteps where fits(Double(Moment.day) * days * Double(step)) {
      return calendarTicks(unit, every: step)
    }
    return calendarTicks(.year, every: 5_000)
  }

  /// From a minute to half a day.
  private static let clockSteps = [1, 5, 15, 30, 60, 180, 360, 720].map { Int64($0) * 60_000_000 }

  private static let calendarSteps: [(CalendarUnit, days: Double, step: Int64)] =
    [(.day, 1, 1), (.day, 1, 2), (.week, 7, 1), (.week, 7, 2), (.month, 30.4, 1), (.month, 30.4, 3)]
    + [(.month, 30.4, 6)] + [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000].map { (.year, 365, $0) }

  private func clockTicks(every step: Int64) -> [Tick] {
    let midnight = clock.period(.day, at: start).start
    let skipped = max(0, (start - midnight + step - 1) / step)
    return stride(from: midnight + skipped * step, through: end, by: Int64.Stride(step)).map { moment in
      let time = Moment.timeText(moment, clock)
      return Tick(at: moment, label: time == "00:00" ? Moment.shortDayText(moment, clock) : time)
    }
  }

  private func calendarTicks(_ unit: CalendarUnit, every step: Int64) -> [Tick] {
    var (ticks, period) = ([Tick](), clock.period(unit, at: start))
    while period.start <= end {
      let date = CivilDate(daysSinceEpoch: period.firstDay)
      let index =
        switch unit {
        case .day: period.firstDay
        case .week: (period.firstDay + 3).flooredQuotient(7)
        case .month: date.month - 1
        case .year: date.year
        }
      if period.start >= start, index % step == 0 {
        ticks.append(Tick(at: period.start, label: label(unit, date)))
      }
      let next = clock.period(unit, at: period.end)
      // A clock that is set back over midnight could cause an endless loop.
      guard next.start > period.start else { break }
      period = next
    }
    return ticks
  }

  private func label(_ unit: CalendarUnit, _ date: CivilDate) -> String {
    switch unit {
    case .day, .week: "\(date.day) \(Moment.monthName(date.month))"
    case .month: date.month == 1 ? "\(date.year)" : Moment.monthName(date.month)
    case .year: "\(date.year)"
    }
  }
}

/// Formats times, in microseconds since 1970, in a time zone.
enum Moment {
  static let day: Int64 = 86_400_000_000
  /// Two days inside the years 0000 to 9999, to leave room for time zones and margins.
  private static let limits: ClosedRange<Int64> = -62_167_046_400_000_000...253_402_128_000_000_000
  private static let monthNames = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  static func clamped(_ moment: Int64) -> Int64 {
    min(max(moment, limits.lowerBound), limits.upperBound)
  }

  static func monthName(_ month: Int64) -> String { monthNames[Int(min(max(month, 1), 12)) - 1] }

  /// `5 Mar 2026`.
  static func dayText(_ moment: Int64, _ clock: ZonedClock) -> String {
    let date = date(moment, clock)
    return "\(date.day) \(monthName(date.month)) \(date.year)"
  }

  /// `5 Mar`.
  static func shortDayText(_ moment: Int64, _ clock: ZonedClock) -> String {
    let date = date(moment, clock)
    return "\(date.day) \(monthName(date.month))"
  }

  /// `14:05`.
  static func timeText(_ moment: Int64, _ clock: ZonedClock) -> String {
    let minutes = minutesOfDay(moment, clock)
    let (hour, minute) = (minutes / 60, minutes % 60)
    return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
  }

  /// `2026-03-05`, or `2026-03-05 14:05` if several times share a day.
  static func tableText(_ moment: Int64, _ clock: ZonedClock, withTime: Bool) -> String {
    let day = clock.period(.day, at: clamped(moment)).description
    return withTime ? "\(day) \(timeText(moment, clock))" : day
  }

  /// Whether a day begins at a time.
  static func isMidnight(_ moment: Int64, _ clock: ZonedClock) -> Bool {
    local(moment, clock).isMultiple(of: day)
  }

  private static func minutesOfDay(_ moment: Int64, _ clock: ZonedClock) -> Int64 {
    let local = local(moment, clock)
    return (local - local.flooredQuotient(day) * day) / 60_000_000
  }

  private static func date(_ moment: Int64, _ clock: ZonedClock) -> CivilDate {
    CivilDate(daysSinceEpoch: local(moment, clock).flooredQuotient(day))
  }

  private static func local(_ moment: Int64, _ clock: ZonedClock) -> Int64 {
    let moment = clamped(moment)
    return moment + Int64(clock.secondsEast(at: moment)) * 1_000_000
  }
}
