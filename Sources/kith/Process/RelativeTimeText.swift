// SPDX-License-Identifier: Apache-2.0

import Glibc
import KithClient
import KithCore
import KithOperations

/// Moments as people say them, in the time zone of the system: `5 min ago`, `tomorrow, 02:17`, `29 Nov, 02:11`.
///
/// Machine output has them in RFC 3339 instead.
enum RelativeTimeText {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// The day and time, for use after "until": `today, 14:05`.
  static func at(_ moment: Datetime, from now: Datetime) -> String { date(moment, from: now) }

  /// The moment as seen from now.
  static func relative(_ moment: Datetime, to now: Datetime) -> String {
    let remaining = (moment.instant - now.instant).inMicroseconds
    // What is to come is not over: its seconds are rounded up.
    let seconds = remaining > 0 ? (remaining + 999_999) / 1_000_000 : remaining / 1_000_000
    switch seconds {
    case ...(-86_400): return date(moment, from: now)
    case ...(-3_600): return "\(-seconds / 3_600) h ago"
    case ...(-60): return "\(-seconds / 60) min ago"
    case ..<1: return "just now"
    case ..<120: return "in \(seconds) s"
    case ..<5_400: return "in \((seconds + 59) / 60) min"
    default: return date(moment, from: now)
    }
  }

  /// `today, 14:05`, `tomorrow, 02:17`, `29 Nov, 02:11`; with the year if it is another one.
  private static func date(_ moment: Datetime, from now: Datetime) -> String {
    let then = LocalTime(moment)
    let today = LocalTime(now)
    let clock = "\(digits(then.fields.tm_hour)):\(digits(then.fields.tm_min))"
    switch then.day - today.day {
    case -1: return "yesterday, \(clock)"
    case 0: return "today, \(clock)"
    case 1: return "tomorrow, \(clock)"
    default: break
    }
    let month = months[Int(then.fields.tm_mon)]
    let year = then.fields.tm_year == today.fields.tm_year ? "" : " \(then.fields.tm_year + 1_900)"
    return "\(then.fields.tm_mday) \(month)\(year), \(clock)"
  }

  private static func digits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }

  /// A moment as the clocks here show it.
  private struct LocalTime {
    let fields: tm
    /// Whole days since 1 January 1970 here.
    let day: Int

    init(_ moment: Datetime) {
      var second = time_t(moment.instant.secondsSinceEpoch)
      var fields = tm()
      localtime_r(&second, &fields)
      self.fields = fields
      day = (Int(second) + fields.tm_gmtoff) / 86_400
    }
  }
}
