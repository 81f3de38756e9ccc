// SPDX-License-Identifier: Apache-2.0

/// Parses the syntax of ``Datetime``.
struct DatetimeScanner {
  let bytes: UTF8Bytes
  private var offset = 0

  init(bytes: UTF8Bytes) { self.bytes = bytes }

  /// Parses all bytes and returns the instant in microseconds since 1970.
  mutating func scan() throws(SyntaxFault) -> Int64 {
    let most = 64
    guard bytes.count <= most else { throw SyntaxFault("longer than 64 bytes", at: most) }
    let date = try scanDate()
    try consume("T", "a capital T between date and time")
    let hour = try number(2, 0...23, "hour")
    try consume(":", "a colon after the hour")
    let minute = try number(2, 0...59, "minute")
    try consume(":", "a colon after the minute")
    let second = try number(2, 0...59, "second")
    let fraction = try scanFraction()
    let offset = try scanZone()
    guard self.offset == bytes.count else {
      throw SyntaxFault("more text after the time zone", at: self.offset)
    }
    let seconds = date.daysSinceEpoch * 86_400 + hour * 3_600 + (minute - offset) * 60 + second
    let instant = seconds * 1_000_000 + fraction
    guard instant >= Datetime.earliest.microsecondsSinceEpoch else {
      throw SyntaxFault("before the year 0000 in UTC", at: 0)
    }
    guard instant <= Datetime.latest.microsecondsSinceEpoch else {
      throw SyntaxFault("after the year 9999 in UTC", at: 0)
    }
    return instant
  }

  private mutating func scanDate() throws(SyntaxFault) -> CivilDate {
    let year = try number(4, 0...9_999, "year")
    try consume("-", "a hyphen after the year")
    let month = try number(2, 1...12, "month")
    try consume("-", "a hyphen after the month")
    let day = try number(2, 1...CivilDate.days(inMonth: month, of: year), "day")
    return CivilDate(year: year, month: month, day: day)
  }

  /// Parses the decimals, if there are any, as microseconds.
  private mutating func scanFraction() throws(SyntaxFault) -> Int64 {
    guard offset < bytes.count, bytes[offset] == UInt8(ascii: ".") else { return 0 }
    offset += 1
    let start = offset
    var microseconds: Int64 = 0
    var unit: Int64 = 100_000
    while offset < bytes.count, bytes[offset].isDigit {
      microseconds += unit * Int64(bytes[offset] - UInt8(ascii: "0"))
      unit /= 10
      offset += 1
    }
    guard offset > start else { throw SyntaxFault("no digit after the decimal point", at: offset) }
    return microseconds
  }

  /// Parses the time zone as minutes east of UTC.
  private mutating func scanZone() throws(SyntaxFault) -> Int64 {
    let start = offset
    guard start < bytes.count else { throw SyntaxFault("the time zone is missing", at: start) }
    offset += 1
    switch bytes[start] {
    case UInt8(ascii: "Z"): return 0
    case UInt8(ascii: "+"): return try scanZoneMinutes()
    case UInt8(ascii: "-"):
      let minutes = try scanZoneMinutes()
      guard minutes > 0 else { throw SyntaxFault("the time zone is \"-00:00\"", at: start) }
      return -minutes
    default: throw SyntaxFault("expected a decimal point or a time zone: Z or ±HH:MM", at: start)
    }
  }

  private mutating func scanZoneMinutes() throws(SyntaxFault) -> Int64 {
    let hours = try number(2, 0...23, "hour of the time zone")
    try consume(":", "a colon in the time zone")
    return try hours * 60 + number(2, 0...59, "minute of the time zone")
  }

  @inline(__always)
  private mutating func number(
    _ count: Int, _ allowed: ClosedRange<Int64>, _ name: StaticString
  ) throws(SyntaxFault) -> Int64 {
    let start = offset
    var value: Int64 = 0
    while offset < start + count {
      guard offset < bytes.count, bytes[offset].isDigit else {
        throw SyntaxFault("expected \(count) digits for the \(name)", at: offset)
      }
      value = value * 10 + Int64(bytes[offset] - UInt8(ascii: "0"))
      offset += 1
    }
    guard allowed.contains(value) else { throw SyntaxFault("\(name) \(value) is out of range", at: start) }
    return value
  }

  @inline(__always)
  private mutating func consume(_ character: Unicode.Scalar, _ name: StaticString) throws(SyntaxFault) {
    guard offset < bytes.count, bytes[offset] == UInt8(ascii: character) else {
      throw SyntaxFault("expected \(name)", at: offset)
    }
    offset += 1
  }
}
