// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithInsights
import KithWording

/// A time on a page: in words in UTC, which the script replaces by those of the reader's place.
enum PageTime {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  static func html(_ time: Datetime) -> HTML {
    "<time datetime=\"\(time.description)\">\(words(time))</time>"
  }

  /// The day alone.
  static func day(_ time: Datetime) -> HTML {
    let words = words(time).prefix { $0 != "," }
    return "<time data-day datetime=\"\(time.description)\">\(String(words))</time>"
  }

  /// How long ago it was, or how long it still takes: `2 hours ago`, `in 6 hours`.
  static func relative(_ time: Datetime, to now: Instant) -> HTML {
    "<time data-relative datetime=\"\(time.description)\">\(age(time, to: now))</time>"
  }

  /// The units, each with the seconds from which on it is used: the script has the same.
  private static let units: [(from: Int, size: Int, name: String)] = [
    (2 * 365 * 86_400, 365 * 86_400, "year"), (60 * 86_400, 30 * 86_400, "month"),
    (86_400, 86_400, "day"), (3_600, 3_600, "hour"), (60, 60, "minute"),
  ]

  static func age(_ time: Datetime, to now: Instant) -> String {
    let seconds = Int((now - time.instant).components.seconds)
    guard let (_, size, unit) = units.first(where: { abs(seconds) >= $0.from }) else { return "just now" }
    let words = Counted.words(abs(seconds) / size, unit)
    return seconds > 0 ? "\(words) ago" : "in \(words)"
  }

  /// Such as `30 Nov 2026, 11:45 UTC`.
  static func words(_ time: Datetime) -> String {
    let text = Datetime(at: time.instant).description
    let parts = text.split { "-T:".contains($0) }
    guard parts.count > 4, let month = Int(parts[1]), months.indices.contains(month - 1),
      let day = Int(parts[2])
    else {
      return text
    }
    return "\(day) \(months[month - 1]) \(parts[0]), \(parts[3]):\(parts[4]) UTC"
  }
}
