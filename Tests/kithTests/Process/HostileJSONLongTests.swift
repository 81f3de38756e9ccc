// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Responses that are invalid or ambiguous JSON, even in unused fields: a response that cannot be parsed
/// completely is rejected. ``JSONRefusalTests`` and related suites test the parser itself, before every
/// commit.
@Suite struct HostileJSONLongTests {
  private typealias Run = HostileRun

  /// A response whose fourth row has an extra field.
  private static func body(with field: [UInt8]) -> [UInt8] {
    var rows = Run.rows
    rows[3] = rows[3].dropLast() + ",\u{1A}}"
    return Array(Run.body(rows).utf8).split(separator: 0x1A).joined(separator: field).map(\.self)
  }

  private static func nested(_ depth: Int, _ open: String, _ end: String) -> String {
    String(repeating: open, count: depth) + "0" + String(repeating: end, count: depth)
  }

  @Test(arguments: [
    ("\"did\":\"\(HostileRun.stranger)\"", "did"),
    ("\"d\\u0069d\":\"\(HostileRun.stranger)\"", "did"),
    ("\"x\":{\"y\":1,\"y\":2}", "x.y"),
    ("\"x\":\"\u{0}\"", "x"), ("\"x\":\u{0}1", "x"),
    ("\"x\":\"\\q\"", "x"),
    ("\"x\":NaN", "x"), ("\"x\":'y'", "x"), ("\"x\":01", "x"),
    ("\"x\":[1,]", "x[1]"),
  ])
  func anInvalidFieldInvalidatesTheResponse(field: String, name: String) async throws {
    let run = try await Run(bytes: Self.body(with: Array(field.utf8)))
    run.expectNothing("json.malformed", at: "relationships[3].\(name)")
  }

  @Test(arguments: [
    "18446744073709551616", "-9223372036854775809", "1e400", "0.5", String(repeating: "9", count: 100_000),
  ])
  func anUnusedNumberIsHarmless(number: String) async throws {
    let run = try await Run(bytes: Self.body(with: Array("\"x\":\(number)".utf8)))
    #expect(run.status == 0)
  }

  /// Servers send them for an emoji that was cut.
  @Test(arguments: [Array("\\ud800".utf8), [0xed, 0xa0, 0x80]])
  func halfASurrogatePairIsHarmless(half: [UInt8]) async throws {
    let field = Array("\"x\":\"".utf8) + half + [UInt8(ascii: "\"")]
    let run = try await Run(bytes: Self.body(with: field))
    #expect(run.status == 0)
  }

  @Test(arguments: ["\"x\":1,", "/* x */\"x\":1", "x:1", ",", "\"x\""])
  func anInvalidRowInvalidatesTheResponse(field: String) async throws {
    let run = try await Run(bytes: Self.body(with: Array(field.utf8)))
    run.expectNothing("json.malformed", at: "relationships[3]")
  }

  @Test(arguments: [[0xff], [0xc0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xe2, 0x82]])
  func invalidUTF8InvalidatesTheResponse(bytes: [UInt8]) async throws {
    let field = Array("\"x\":\"".utf8) + bytes + [UInt8(ascii: "\"")]
    try await Run(bytes: Self.body(with: field)).expectNothing(
      "json.malformed", at: "relationships[3].x")
  }

  @Test(arguments: [("[", "]"), ("{\"x\":", "}")])
  func deepNestingInvalidatesTheResponse(open: String, end: String) async throws {
    let field = "\"x\":" + Self.nested(10_000, open, end)
    try await Run(bytes: Self.body(with: Array(field.utf8))).expectNothing("json.malformed")
  }

  @Test func unclosedDeepNestingInvalidatesTheResponse() async throws {
    try await Run(body: String(repeating: "[", count: 200 << 10)).expectNothing("json.malformed")
  }

  @Test func aResponseMayNestUpToTheLimit() async throws {
    // The response, its list and the row are three levels.
    let field = "\"x\":" + Self.nested(125, "[", "]")
    let run = try await Run(bytes: Self.body(with: Array(field.utf8)))
    #expect(run.status == 0)
  }

  @Test(arguments: [("\u{FEFF}", ""), ("", "{}"), ("", "\u{0}"), ("", "x")])
  func surroundingBytesInvalidateTheResponse(before: String, after: String) async throws {
    try await Run(body: before + Run.body() + after).expectNothing("json.malformed")
  }

  @Test func aDuplicateKeyInvalidatesTheResponse() async throws {
    try await Run(body: Run.body(more: ",\"actor\":\"\(Run.stranger)\"")).expectNothing(
      "json.malformed", at: "actor")
  }

  @Test func aResponseOfTheMaximumSizeIsAccepted() async throws {
    // Unrequested rows, up to the size limit of the method.
    let rows = Array(repeating: Run.row(0), count: (250 << 10) / (Run.row(0).utf8.count + 1))
    try await Run(body: Run.body(rows)).expectNothing("json.tooLarge", at: "relationships")
  }
}
