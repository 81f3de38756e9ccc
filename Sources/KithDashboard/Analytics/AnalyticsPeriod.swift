// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithInsights
import KithLocalMessages
import KithOperations

/// The time that a page of analytics is about, as its address names it.
enum AnalyticsPeriod: Hashable {
  case last(Span)
  /// From the beginning of the first day to the end of the last one.
  case days(Day, Day)

  /// A period that ends now.
  enum Span: String, CaseIterable {
    case week, month, year, all

    var title: String { rawValue.capitalizedFirst }

    /// Nil for all.
    var days: Int64? {
      switch self {
      case .week: 7
      case .month: 30
      case .year: 365
      case .all: nil
      }
    }
  }

  /// A day of a calendar.
  struct Day: Hashable {
    /// As ISO 8601 and fields of forms write it: `2026-11-25`.
    let text: String
    let start: Instant
    /// When the next day begins.
    let end: Instant

    /// Nil for a text that is not a day.
    init?(_ text: String, _ clock: ZonedCalendar) {
      guard let start = clock.start(ofDay: text) else { return nil }
      (self.text, self.start, end) = (text, start, clock.period(.day, at: start).end)
    }

    init(at moment: Instant, _ clock: ZonedCalendar) {
      let day = clock.period(.day, at: moment)
      (text, start, end) = ("\(day)", day.start, day.end)
    }
  }

  /// Why two fields are not a range, each with the words beside it.
  struct FieldFault: Error, Hashable {
    var first: String?
    var last: String?
  }

  static let usual = AnalyticsPeriod.last(.month)

  /// Reads the period that a query or a form names, `from` and `to` before `period`.
  ///
  /// - Throws: ``FieldFault`` for days that are not a range; ``DashboardError`` `invalidRequest` for another period.
  init(_ items: QueryItems, now: Instant, _ clock: ZonedCalendar) throws {
    let texts = (items["from"] ?? "", items["to"] ?? "")
    if texts != ("", "") {
      self = try Self.days(from: texts.0, to: texts.1, now: now, clock)
      return
    }
    let name = items["period"] ?? Span.month.rawValue
    guard let span = Span(rawValue: name) else {
      throw DashboardError.invalid(
        "period=\(name)", "use \(Span.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    self = .last(span)
  }

  private static func days(
    from first: String, to last: String, now: Instant, _ clock: ZonedCalendar
  ) throws(FieldFault) -> AnalyticsPeriod {
    func fault(_ text: String, _ day: Day?) -> String? {
      if text.isEmpty { return "Choose a day." }
      guard let day else {
        return "“\(text.prefix(20))” is not a day of the calendar. Write it as 2026-11-25."
      }
      return day.start > now ? "This day is still to come." : nil
    }
    let (start, end) = (Day(first, clock), last.isEmpty ? Day(at: now, clock) : Day(last, clock))
    var faults = FieldFault(first: fault(first, start), last: fault(end?.text ?? last, end))
    if faults == FieldFault(), let start, let end, end.start < start.start {
      faults.last = "The last day is before the first one."
    }
    guard faults == FieldFault(), let start, let end else { throw faults }
    return .days(start, end)
  }

  /// The period for an operation.
  func statistics(now: Instant) -> StatisticsPeriod {
    switch self {
    case .last(let span): span.days.map { .last(.days($0)) } ?? .whole
    // Of today, what is known so far.
    case .days(let first, let last):
      .between(.at(max(first.start, .networkBegan)), last.end > now ? nil : .at(last.end))
    }
  }

  /// The names and values by which an address and a form name it.
  var items: [(name: String, value: String)] {
    switch self {
    case .last(let span): [("period", span.rawValue)]
    case .days(let first, let last): [("from", first.text), ("to", last.text)]
    }
  }

  /// The same as the query of an address.
  var query: String { items.map { "\($0.name)=\($0.value)" }.joined(separator: "&") }
}
