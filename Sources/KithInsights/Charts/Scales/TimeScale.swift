// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// A time axis in a time zone.
///
/// Times outside the years 0000 to 9999 are clamped.
struct TimeScale {
  struct Tick {
    let at: Instant
    let label: String
  }

  let start: Instant
  let end: Instant
  let clock: ZonedCalendar

  init(_ moments: ClosedRange<Instant>, clock: ZonedCalendar) {
    let first = Moment.clamped(moments.lowerBound)
    let last = Moment.clamped(moments.upperBound)
    // A single moment gets half a day on each side.
    let margin = first == last ? Duration.days(1) / 2 : .zero
    start = first - margin
    end = last + margin
    self.clock = clock
  }

  /// The position of a time, from 0 at the start to 1 at the end.
  func fraction(_ moment: Instant) -> Double { (min(max(moment, start), end) - start) / (end - start) }

  /// The text below the axis: its first and last day, and the time zone.
  var caption: String {
    let (first, last) = (Moment.dayText(start, clock), Moment.dayText(end, clock))
    return (first == last ? first : "\(first) – \(last)") + " · " + ChartLabel.clean(clock.name, most: 60)
  }

  /// About `most` ticks at most, at the starts of years, months, days or hours.
  func ticks(most: Int) -> [Tick] {
    let span = end - start
    let fits = { (length: Duration) in span / length <= Double(max(1, most)) }
    for step in Self.clockSteps where fits(step) { return clockTicks(every: step) }
    for (unit, days, step) in Self.calendarSteps where fits(.days(1) * (days * Double(step))) {
      return calendarTicks(unit, every: step)
    }
    return calendarTicks(.year, every: 5_000)
  }

  /// From a minute to half a day.
  private static let clockSteps = [1, 5, 15, 30, 60, 180, 360, 720].map { Duration.seconds($0 * 60) }

  private static let calendarSteps: [(CalendarUnit, days: Double, step: Int64)] =
    [(.day, 1, 1), (.day, 1, 2), (.week, 7, 1), (.week, 7, 2), (.month, 30.4, 1), (.month, 30.4, 3)]
    + [(.month, 30.4, 6)] + [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000].map { (.year, 365, $0) }

  private func clockTicks(every step: Duration) -> [Tick] {
    var (ticks, moment) = ([Tick](), clock.period(.day, at: start).start)
    while moment <= end {
      if moment >= start {
        let time = Moment.timeText(moment, clock)
        ticks.append(Tick(at: moment, label: time == "00:00" ? Moment.shortDayText(moment, clock) : time))
      }
      moment += step
    }
    return ticks
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

/// Formats times in a time zone.
enum Moment {
  /// Two days inside the years 0000 to 9999, to leave room for time zones and margins.
  private static let limits = Datetime.earliest + .days(2)...Datetime.latest - .days(2)
  private static let monthNames = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  static func clamped(_ moment: Instant) -> Instant {
    min(max(moment, limits.lowerBound), limits.upperBound)
  }

  static func monthName(_ month: Int64) -> String { monthNames[Int(min(max(month, 1), 12)) - 1] }

  /// `5 Mar 2026`.
  static func dayText(_ moment: Instant, _ clock: ZonedCalendar) -> String {
    let date = date(moment, clock)
    return "\(date.day) \(monthName(date.month)) \(date.year)"
  }

  /// `5 Mar`.
  static func shortDayText(_ moment: Instant, _ clock: ZonedCalendar) -> String {
    let date = date(moment, clock)
    return "\(date.day) \(monthName(date.month))"
  }

  /// `14:05`.
  static func timeText(_ moment: Instant, _ clock: ZonedCalendar) -> String {
    let minutes = minutesOfDay(moment, clock)
    let (hour, minute) = (minutes / 60, minutes % 60)
    return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
  }

  /// `2026-03-05`, or `2026-03-05 14:05` if several times share a day.
  static func tableText(_ moment: Instant, _ clock: ZonedCalendar, withTime: Bool) -> String {
    let day = clock.period(.day, at: clamped(moment)).description
    return withTime ? "\(day) \(timeText(moment, clock))" : day
  }

  /// Whether a day begins at a time.
  static func isMidnight(_ moment: Instant, _ clock: ZonedCalendar) -> Bool {
    clock.period(.day, at: clamped(moment)).start == clamped(moment)
  }

  private static func minutesOfDay(_ moment: Instant, _ clock: ZonedCalendar) -> Int64 {
    let local = local(moment, clock)
    return (local - local.flooredQuotient(86_400) * 86_400) / 60
  }

  private static func date(_ moment: Instant, _ clock: ZonedCalendar) -> CivilDate {
    CivilDate(daysSinceEpoch: local(moment, clock).flooredQuotient(86_400))
  }

  /// What the clock shows, in seconds.
  private static func local(_ moment: Instant, _ clock: ZonedCalendar) -> Int64 {
    let moment = clamped(moment)
    return moment.secondsSinceEpoch + Int64(clock.secondsEast(at: moment))
  }
}
