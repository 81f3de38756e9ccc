// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@Suite struct URITests {
  @Test(arguments: try SyntaxVector.valid("uri")) func takesWhatKeepsTheRules(vector: SyntaxVector) {
    expectValid(URI.self, vector.text)
  }

  @Test(arguments: try SyntaxVector.invalid("uri")) func refusesWhatBreaksARule(vector: SyntaxVector) {
    expectInvalid(URI.self, vector.text, at: vector.offset)
  }

  @Test(
    .enabled(if: Vectors.interop.areThere, "KITH_INTEROP names no folder"),
    arguments: try Vectors.interop.lines("syntax/uri_syntax_valid.txt"))
  func takesTheProtocolsVectors(line: String) {
    expectValid(URI.self, line)
  }

  @Test(
    .enabled(if: Vectors.interop.areThere, "KITH_INTEROP names no folder"),
    arguments: try Vectors.interop.lines("syntax/uri_syntax_invalid.txt"))
  func refusesTheProtocolsVectors(line: String) {
    expectInvalid(URI.self, line)
  }

  @Test(arguments: [
    ("", 0), ("1a:b", 0), ("example.com", 11), ("http:", 5), ("ht_tp:x", 2), ("a:b c", 3), ("a:b\u{7F}", 3),
    ("a:b\n", 3),
  ])
  func saysWhereItIsWrong(text: String, offset: Int) {
    expectInvalid(URI.self, text, at: offset)
  }

  @Test func acceptsAtMost8192Bytes() {
    let most = "https://example.com/" + String(repeating: "x", count: 8_172)
    expectValid(URI.self, most)
    expectInvalid(URI.self, most + "x", at: 8_192)
  }

  @Test func acceptsSchemesOfAtMost80Bytes() {
    let most = String(repeating: "a", count: 80)
    expectValid(URI.self, most + ":x")
    expectInvalid(URI.self, most + "a:x", at: 80)
  }

  @Test func namesTheScheme() throws {
    #expect(try URI(parsing: "HTTPS://example.com:80").scheme == "https")
  }
}
