// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// Numbers with their nouns.
package enum Counted {
  /// `1 account`, `2 accounts`.
  package static func words(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }

  /// The numbers that are not zero, each with its words.
  package static func words(_ numbers: [(Int, String)]) -> String {
    numbers.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }
}

extension Counted {
  /// The most names in a sentence.
  package static let mostNames = 3

  /// The first names, and how many more there are: `a, b, c and 4 more`.
  ///
  /// - Parameter number: how many there are in all.
  package static func names(_ names: some Collection<String>, of number: Int) -> String {
    let first = names.prefix(mostNames).joined(separator: ", ")
    let more = number - min(names.count, mostNames)
    return more > 0 ? "\(first) and \(more) more" : first
  }
}

/// Times and time spans as text.
package enum TimeWords {
  /// From when entries are listed, on the clock by which dates are read; empty for all.
  static func since(_ date: Datetime?) -> String { date.map { " since \(minute($0))" } ?? "" }

  /// A time to the minute: `2026-01-01 12:00 UTC`.
  package static func minute(_ date: Datetime) -> String {
    date.description.prefix(16).replacing("T", with: " ") + " UTC"
  }

  /// A time to the second: `2026-01-01 12:00:05 UTC`.
  package static func second(_ moment: Instant) -> String {
    Datetime(at: moment).description.prefix(19).replacing("T", with: " ") + " UTC"
  }

  /// A duration rounded up to seconds, in its two largest units: `40 s`, `4 min 50 s`, `3 h 20 min`.
  package static func span(_ duration: Duration) -> String {
    let (whole, fraction) = duration.components
    let seconds = max(0, whole + (fraction > 0 ? 1 : 0))
    func joined(_ large: Int64, _ unit: String, _ small: Int64, _ lesser: String) -> String {
      "\(large) \(unit)" + (small > 0 ? " \(small) \(lesser)" : "")
    }
    return switch seconds {
    case ..<60: "\(seconds) s"
    case ..<3_600: joined(seconds / 60, "min", seconds % 60, "s")
    default: joined(seconds / 3_600, "h", seconds % 3_600 / 60, "min")
    }
  }
}
