// SPDX-License-Identifier: Apache-2.0

/// A date and time as it was written (`2024-05-17T10:00:00.000Z`), with the instant it denotes.
///
/// `YYYY-MM-DDTHH:MM:SS`, any number of decimals, then `Z` or an offset `±HH:MM` other than `-00:00`; at most
/// 64 bytes; an existing day, in the years 0000 to 9999 of UTC; no leap seconds. Two spellings of one instant
/// are different values; compare ``instant`` if the time matters.
/// Specification: <https://atproto.com/specs/lexicon#datetime>.
public struct Datetime: SyntaxIdentifier, ScannedIdentifier {
  /// The text as written.
  public let description: String
  /// The instant that it denotes; more than six decimals are truncated.
  public let instant: Instant

  static let subject = "datetime"

  init(scanning bytes: UTF8Bytes) throws(SyntaxFault) {
    var scanner = DatetimeScanner(bytes: bytes)
    let instant = Instant(microsecondsSinceEpoch: try scanner.scan())
    self.init(unchecked: String(decoding: bytes, as: UTF8.self), instant)
  }

  /// Formats an instant with three decimals in UTC; microseconds below a millisecond are truncated.
  ///
  /// Instants outside the years 0000 to 9999 are clamped.
  public init(at instant: Instant) {
    let milliseconds = min(max(instant, Self.earliest), Self.latest).microsecondsSinceEpoch.flooredQuotient(
      1_000)
    let seconds = milliseconds.flooredQuotient(1_000)
    let date = CivilDate(daysSinceEpoch: seconds.flooredQuotient(86_400))
    let second = seconds - date.daysSinceEpoch * 86_400
    func digits(_ value: Int64, _ count: Int) -> String {
      let text = String(value)
      return String(repeating: "0", count: count - text.count) + text
    }
    let day = "\(digits(date.year, 4))-\(digits(date.month, 2))-\(digits(date.day, 2))"
    let time = "\(digits(second / 3_600, 2)):\(digits(second / 60 % 60, 2)):\(digits(second % 60, 2))"
    self.init(
      unchecked: "\(day)T\(time).\(digits(milliseconds - seconds * 1_000, 3))Z",
      Instant(microsecondsSinceEpoch: milliseconds * 1_000))
  }

  private init(unchecked text: String, _ instant: Instant) {
    description = text
    self.instant = instant
  }

  /// The first microsecond of the year 0000.
  package static let earliest = Instant(microsecondsSinceEpoch: -62_167_219_200_000_000)
  /// The last microsecond of the year 9999.
  package static let latest = Instant(microsecondsSinceEpoch: 253_402_300_799_999_999)
}
