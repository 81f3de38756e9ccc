// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@Suite struct DatetimeTests {
  @Test(arguments: try SyntaxVector.valid("datetime")) func takesWhatKeepsTheRules(vector: SyntaxVector) {
    expectValid(Datetime.self, vector.text)
  }

  @Test(arguments: try SyntaxVector.invalid("datetime")) func refusesWhatBreaksARule(vector: SyntaxVector) {
    expectInvalid(Datetime.self, vector.text, at: vector.offset)
  }

  @Test(
    .enabled(if: Vectors.interop.areThere, "KITH_INTEROP names no folder"),
    arguments: try Vectors.interop.lines("syntax/datetime_syntax_valid.txt"))
  func takesTheProtocolsVectors(line: String) {
    expectValid(Datetime.self, line)
  }

  @Test(
    .enabled(if: Vectors.interop.areThere, "KITH_INTEROP names no folder"),
    arguments: try Vectors.interop.lines("syntax/datetime_syntax_invalid.txt"))
  func refusesTheProtocolsVectors(line: String) {
    expectInvalid(Datetime.self, line)
  }

  @Test(
    .enabled(if: Vectors.interop.areThere, "KITH_INTEROP names no folder"),
    arguments: try Vectors.interop.lines("syntax/datetime_parse_invalid.txt"))
  func refusesWhatNoCalendarHas(line: String) {
    expectInvalid(Datetime.self, line)
  }

  @Test(arguments: [
    ("", 0), ("1985-04-12", 10), ("1985-04-12t23:20:50Z", 10), ("1985-04-12T23:20:50", 19),
    ("1985-04-12T23:20:50.Z", 20), ("1985-04-12T23:20:50z", 19), ("1985-04-12T23:20:50-00:00", 19),
    ("1985-04-12T23:20:50+0000", 22), ("1985-04-12T23:20:50Z ", 20), ("1985-13-12T23:20:50Z", 5),
    ("1985-04-31T23:20:50Z", 8), ("1985-02-29T23:20:50Z", 8), ("1900-02-29T23:20:50Z", 8),
    ("1985-04-12T24:00:00Z", 11), ("1985-04-12T23:60:50Z", 14), ("1985-04-12T23:20:60Z", 17),
    ("1985-04-12T23:20:50+24:00", 20), ("0000-01-01T00:00:00+00:01", 0), ("9999-12-31T23:59:59-00:01", 0),
  ])
  func saysWhereItIsWrong(text: String, offset: Int) {
    expectInvalid(Datetime.self, text, at: offset)
  }

  @Test func acceptsAtMost64Bytes() {
    let most = "1985-04-12T23:20:50." + String(repeating: "1", count: 43) + "Z"
    expectValid(Datetime.self, most)
    expectInvalid(Datetime.self, "1985-04-12T23:20:50." + String(repeating: "1", count: 44) + "Z", at: 64)
  }

  @Test(
    arguments: [
      ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.000001Z", 1), ("1969-12-31T23:59:59.9999999Z", -1),
      ("1970-01-01T01:00:00+01:00", 0), ("1969-12-31T17:00:00-07:00", 0),
      ("2000-02-29T12:00:00Z", 951_825_600_000_000),
      ("1985-04-12T23:20:50.123Z", 482_196_050_123_000), ("0000-01-01T00:00:00Z", -62_167_219_200_000_000),
      ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999),
      ("2024-05-17T10:00:00.5Z", 1_715_940_000_500_000),
    ] as [(String, Instant)])
  func knowsTheInstant(text: String, instant: Instant) throws {
    let datetime = try Datetime(parsing: text)
    #expect(datetime.instant == instant)
    #expect(datetime.description == text)
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"), (1_999, "1970-01-01T00:00:00.001Z"),
      (1_709_164_799_999_999, "2024-02-28T23:59:59.999Z"),
      (1_709_164_800_000_000, "2024-02-29T00:00:00.000Z"),
      (.min, "0000-01-01T00:00:00.000Z"), (.max, "9999-12-31T23:59:59.999Z"),
    ] as [(Instant, String)])
  func spellsAnInstant(instant: Instant, text: String) throws {
    let datetime = Datetime(at: instant)
    #expect(datetime.description == text)
    #expect(try Datetime(parsing: text) == datetime)
  }

  @Test func roundsSecondsDown() throws {
    #expect(try Datetime(parsing: "1969-12-31T23:59:59.5Z").instant.secondsSinceEpoch == -1)
    #expect(try Datetime(parsing: "1970-01-01T00:00:01.9Z").instant.secondsSinceEpoch == 1)
  }

  @Test func keepsTheSpelling() throws {
    let zulu = try Datetime(parsing: "1985-04-12T23:20:50Z")
    let decimals = try Datetime(parsing: "1985-04-12T23:20:50.000Z")
    #expect(zulu != decimals)
    #expect(zulu.instant == decimals.instant)
  }
}
