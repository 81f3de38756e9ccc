// SPDX-License-Identifier: Apache-2.0

/// The meaning of a number in a chart, which determines its format.
public enum ValueKind: String, Sendable, Hashable, CaseIterable {
  /// A count: `12,345`, on an axis `12.3k`.
  case count
  /// A share of a whole, 0 to 1: `45.3%`.
  case share
  /// A ratio without a unit, such as interactions per follower: `0.0123`.
  case rate
  /// Seconds: `3 d 4 h`.
  case duration
}

extension ValueKind {
  /// The text for a value that is missing or not finite.
  static let missing = "–"

  /// The full value, for tables.
  func text(_ value: Double) -> String {
    guard value.isFinite else { return Self.missing }
    let size = value.magnitude
    switch self {
    case .count:
      return value == value.rounded()
        ? Decimal.text(value, digits: 0) : Decimal.trimmed(value, digits: size < 10 ? 2 : size < 100 ? 1 : 0)
    case .share: return Decimal.trimmed(value * 100, digits: size < 0.01 ? 2 : 1) + "%"
    case .rate: return Decimal.trimmed(value, digits: Decimal.digits(forThreeFigures: size))
    case .duration: return SpanLabel.long(value)
    }
  }

  /// The value as a label of its own in a chart: in full, as cards and tables have it, unless it is very long.
  func labelText(_ value: Double) -> String {
    self == .count && value.magnitude < 1e7 ? text(value.rounded()) : shortText(value)
  }

  /// The value with about three digits, for axes and cells.
  ///
  /// - Parameter step: the distance between ticks; determines the decimals needed to distinguish them.
  func shortText(_ value: Double, step: Double? = nil) -> String {
    guard value.isFinite else { return Self.missing }
    switch self {
    case .count: return Decimal.compact(value, step: step)
    case .share:
      let size = value.magnitude
      let digits = step.map { Decimal.digits(forStep: $0 * 100) } ?? (size < 0.01 ? 2 : size < 0.1 ? 1 : 0)
      return Decimal.trimmed(value * 100, digits: digits) + "%"
    case .rate:
      return Decimal.trimmed(
        value, digits: step.map(Decimal.digits(forStep:)) ?? Decimal.digits(forThreeFigures: value.magnitude))
    case .duration: return SpanLabel.short(value)
    }
  }

  /// The full value with a sign, for changes.
  func signedText(_ value: Double) -> String { value > 0 ? "+" + text(value) : text(value) }
}

/// Decimal numbers in English format, without locale data.
enum Decimal {
  /// Rounded to a number of decimals, with commas between thousands; from 10^15 in scientific notation.
  static func text(_ value: Double, digits: Int) -> String {
    guard value.isFinite else { return ValueKind.missing }
    let power = powerOfTen(digits)
    let scaled = (value.magnitude * power).rounded()
    guard scaled < 1e15 else { return "\(value)" }
    let (whole, remainder) = Int64(scaled).quotientAndRemainder(dividingBy: Int64(power))
    var text = grouped(whole)
    if digits > 0 {
      let decimals = String(remainder)
      text += "." + String(repeating: "0", count: digits - decimals.count) + decimals
    }
    return value < 0 && scaled > 0 ? "−" + text : text
  }

  /// Like ``text(_:digits:)``, without trailing zeros.
  static func trimmed(_ value: Double, digits: Int) -> String {
    var text = text(value, digits: digits)
    guard digits > 0, text.utf8.contains(0x2E), !text.utf8.contains(0x65) else { return text }
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return text
  }

  /// `950`, `1.2k`, `3.4M`, `5B`, `6T`.
  static func compact(_ value: Double, step: Double?) -> String {
    let units: [(Double, String)] = [(1, ""), (1e3, "k"), (1e6, "M"), (1e9, "B"), (1e12, "T")]
    // A value that rounds to 1000 of a unit is 1 of the next one.
    var index = units.lastIndex { value.magnitude >= $0.0 * ($0.0 > 1 ? 0.99995 : 0) } ?? 0
    if let step, index > 0, digits(forStep: step / units[index].0) > 2 { index -= 1 }
    let (unit, suffix) = units[index]
    let scaled = value / unit
    let decimals =
      step.map { digits(forStep: $0 / unit) }
      ?? (scaled == scaled.rounded() || (unit > 1 && scaled.magnitude >= 100) ? 0 : 1)
    return trimmed(scaled, digits: decimals) + suffix
  }

  /// The decimals, at most 6, needed for multiples of a step.
  static func digits(forStep step: Double) -> Int {
    guard step.isFinite, step > 0 else { return 0 }
    var scaled = step
    for digits in 0..<6 {
      if (scaled - scaled.rounded()).magnitude < 1e-6 * max(scaled, 1) && scaled >= 0.5 { return digits }
      scaled *= 10
    }
    return 6
  }

  static func digits(forThreeFigures size: Double) -> Int {
    var (limit, digits) = (100.0, 0)
    while digits < 6, size < limit, size > 0 {
      limit /= 10
      digits += 1
    }
    return digits
  }

  private static func grouped(_ value: Int64) -> String {
    let digits = String(value)
    var text = ""
    for (position, digit) in digits.enumerated() {
      if position > 0, (digits.utf8.count - position) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return text
  }

  private static func powerOfTen(_ digits: Int) -> Double {
    (0..<max(0, digits)).reduce(1.0) { power, _ in power * 10 }
  }
}

/// Durations in seconds, as text.
enum SpanLabel {
  private static let units: [(seconds: Double, name: String)] = [
    (86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"),
  ]

  private static let words = ["d": "day", "h": "hour", "min": "minute", "s": "second"]

  /// Like ``long(_:)`` for a sentence: `3 days 4 hours`.
  static func words(_ value: Double) -> String {
    long(value).split(separator: " ").reduce(into: [String]()) { words, part in
      guard let name = self.words[String(part)] else { return words.append(String(part)) }
      words.append(words.last == "1" ? name : name + "s")
    }.joined(separator: " ")
  }

  /// From here on, hours are noise.
  private static let onlyDays = 30 * 86_400.0

  /// The two largest units: `3 d 4 h`, `45 s`; of a month and more only days.
  static func long(_ value: Double) -> String {
    let seconds = value.magnitude.rounded()
    guard seconds < 1e12 else { return "\(value) s" }
    let first = units.firstIndex { seconds >= $0.seconds } ?? units.count - 1
    var remaining = seconds
    if seconds >= onlyDays {
      remaining = (remaining / units[0].seconds).rounded() * units[0].seconds
    } else if first < 2 {
      // Rounded to the second unit shown.
      let unit = units[first + 1].seconds
      remaining = (remaining / unit).rounded() * unit
    }
    var parts: [String] = []
    for unit in units[first...].prefix(2) {
      let count = (remaining / unit.seconds).rounded(.down)
      remaining -= count * unit.seconds
      if count > 0 || parts.isEmpty { parts.append("\(Decimal.text(count, digits: 0)) \(unit.name)") }
      if remaining <= 0 { break }
    }
    return (value < 0 && seconds > 0 ? "−" : "") + parts.joined(separator: " ")
  }

  /// Only the largest unit: `3.2 d`.
  static func short(_ value: Double) -> String {
    guard value.magnitude < 1e15 else { return "\(value) s" }
    let unit = units.first { value.magnitude >= $0.seconds } ?? (1, "s")
    return "\(Decimal.trimmed(value / unit.seconds, digits: 1)) \(unit.name)"
  }
}
