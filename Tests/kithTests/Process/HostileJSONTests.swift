// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Answers that are no JSON, or JSON that two readers may take for two things. Where such a thing stands in a
/// field that nobody asked for, the answer is as bad: who cannot read all of it has read none.
@Suite struct HostileJSONTests {
  private typealias Run = HostileRun

  /// An answer whose fourth row has one field more.
  private static func body(with field: [UInt8]) -> [UInt8] {
    var rows = Run.rows
    rows[3] = rows[3].dropLast() + ",\u{1A}}"
    return Array(Run.body(rows).utf8).split(separator: 0x1A).joined(separator: field).map(\.self)
  }

  private static func nested(_ depth: Int, _ open: String, _ end: String) -> String {
    String(repeating: open, count: depth) + "0" + String(repeating: end, count: depth)
  }

  @Test(arguments: [
    ("\"x\":18446744073709551616", "x: a number that does not fit"),
    ("\"x\":-9223372036854775809", "x: a number that does not fit"), ("\"x\":1e400", "x: a number"),
    ("\"x\":\(String(repeating: "9", count: 100_000))", "x: a number that does not fit"),
    ("\"did\":\"\(HostileRun.stranger)\"", "did: the name \"did\" a second time"),
    ("\"d\\u0069d\":\"\(HostileRun.stranger)\"", "did: the name \"did\" a second time"),
    ("\"x\":{\"y\":1,\"y\":2}", "x.y: the name \"y\" a second time"),
    ("\"x\":\"\u{0}\"", "x: a control character in a string"), ("\"x\":\u{0}1", "x: expected"),
    ("\"x\":\"\\ud800\"", "x: half of a surrogate pair"), ("\"x\":\"\\q\"", "x: an escape"),
    ("\"x\":NaN", "x: expected"), ("\"x\":'y'", "x: expected"), ("\"x\":01", "x: a number"),
    ("\"x\":[1,]", "x[1]: expected"),
  ])
  func aFieldThatIsNoJSONSpoilsTheAnswer(field: String, words: String) async throws {
    let run = try await Run(bytes: Self.body(with: Array(field.utf8)))
    run.expectNothing("the answer is no sound JSON: relationships[3].\(words)")
    run.expectNothing(" at byte ")
  }

  @Test(arguments: ["\"x\":1,", "/* x */\"x\":1", "x:1", ",", "\"x\""])
  func aRowThatIsNoJSONSpoilsTheAnswer(field: String) async throws {
    let run = try await Run(bytes: Self.body(with: Array(field.utf8)))
    run.expectNothing("the answer is no sound JSON: relationships[3]")
    run.expectNothing(" at byte ")
  }

  @Test(arguments: [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xe2, 0x82]])
  func bytesThatAreNotUTF8SpoilTheAnswer(bytes: [UInt8]) async throws {
    let field = Array("\"x\":\"".utf8) + bytes + [UInt8(ascii: "\"")]
    try await Run(bytes: Self.body(with: field)).expectNothing(
      "relationships[3].x: a string that is not UTF-8 at byte ")
  }

  @Test(arguments: [("[", "]"), ("{\"x\":", "}")])
  func deepNestingSpoilsTheAnswer(open: String, end: String) async throws {
    let field = "\"x\":" + Self.nested(10_000, open, end)
    try await Run(bytes: Self.body(with: Array(field.utf8))).expectNothing("nested deeper than 128")
  }

  @Test func deepNestingWithoutEndSpoilsTheAnswer() async throws {
    try await Run(body: String(repeating: "[", count: 15 << 20)).expectNothing("nested deeper than 128")
  }

  @Test func anAnswerMayNestAsDeepAsTheLimit() async throws {
    // The answer, its list and the row are three.
    let field = "\"x\":" + Self.nested(125, "[", "]")
    let run = try await Run(bytes: Self.body(with: Array(field.utf8)))
    #expect(run.status == 0)
  }

  @Test(arguments: [("\u{FEFF}", ""), ("", "{}"), ("", "\u{0}"), ("", "x")])
  func whatSurroundsAnAnswerSpoilsIt(before: String, after: String) async throws {
    try await Run(body: before + Run.body() + after).expectNothing(
      before.isEmpty ? "something follows the document" : "a byte order mark")
  }

  @Test func anActorThatStandsThereTwiceSpoilsTheAnswer() async throws {
    try await Run(body: Run.body(more: ",\"actor\":\"\(Run.stranger)\"")).expectNothing(
      "the name \"actor\" a second time at byte ")
  }

  @Test func anAnswerThatFillsTheLimitIsBorne() async throws {
    // Fifteen mebibytes of rows that were not asked for.
    let rows = Array(repeating: Run.row(0), count: (15 << 20) / (Run.row(0).utf8.count + 1))
    try await Run(body: Run.body(rows)).expectNothing("rows for 30 targets")
  }
}
