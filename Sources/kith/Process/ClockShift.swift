// SPDX-License-Identifier: Apache-2.0

import KithCore

/// `KITH_CLOCK_SHIFT`: seconds to add to the clock, for simulations: what they show does not depend on the day.
enum ClockShift {
  static let variable = "KITH_CLOCK_SHIFT"
  /// A century in both directions.
  private static let seconds: ClosedRange<Int64> = -3_155_760_000...3_155_760_000

  /// The shift; zero if the variable is unset or invalid.
  static func duration(in environment: [String: String]) -> Duration {
    let shift = environment[variable].flatMap(Int64.init).flatMap { seconds.contains($0) ? $0 : nil }
    return .seconds(shift ?? 0)
  }

  /// The value of the variable if it is invalid.
  static func invalidText(in environment: [String: String]) -> String? {
    guard let text = environment[variable], !text.isEmpty else { return nil }
    return Int64(text).map(seconds.contains) == true ? nil : text
  }
}
