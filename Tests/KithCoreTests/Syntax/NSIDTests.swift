// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@Suite struct NSIDTests {
  @Test(arguments: try SyntaxVector.valid("nsid")) func takesWhatKeepsTheRules(vector: SyntaxVector) {
    expectValid(NSID.self, vector.text)
  }

  @Test(arguments: try SyntaxVector.invalid("nsid")) func refusesWhatBreaksARule(vector: SyntaxVector) {
    expectInvalid(NSID.self, vector.text, at: vector.offset)
  }

  @Test(
    .enabled(if: Vectors.interop.areThere, "KITH_INTEROP names no folder"),
    arguments: try Vectors.interop.lines("syntax/nsid_syntax_valid.txt"))
  func takesTheProtocolsVectors(line: String) {
    expectValid(NSID.self, line)
  }

  @Test(
    .enabled(if: Vectors.interop.areThere, "KITH_INTEROP names no folder"),
    arguments: try Vectors.interop.lines("syntax/nsid_syntax_invalid.txt"))
  func refusesTheProtocolsVectors(line: String) {
    expectInvalid(NSID.self, line)
  }

  @Test(arguments: [
    ("", 0), ("com.example", 11), ("com..a", 4), (".com.a.b", 0), ("com.a.b.", 8), ("1com.a.b", 0),
    ("com.a-.b", 5), ("com.-a.b", 4), ("com.a.b-c", 7), ("com.a.1b", 6), ("com.a.b_c", 7), ("com.a.b ", 7),
  ])
  func saysWhereItIsWrong(text: String, offset: Int) {
    expectInvalid(NSID.self, text, at: offset)
  }

  @Test func acceptsSegmentsOfAtMost63Bytes() {
    let most = String(repeating: "a", count: 63)
    expectValid(NSID.self, "com.\(most).\(most)")
    expectInvalid(NSID.self, "com.\(most).\(most)a", at: 4 + 64 + 63)
  }

  @Test func acceptsAtMost317Bytes() {
    let most = String(repeating: "a.", count: 157) + "abc"
    expectValid(NSID.self, most)
    expectInvalid(NSID.self, most + "d", at: 317)
  }

  @Test func namesItsParts() throws {
    let nsid = try NSID(parsing: "app.bsky.graph.follow")
    #expect(nsid.name == "follow")
    #expect(nsid.authority == "app.bsky.graph")
    #expect(NSID(generated: "app.bsky.graph.follow") == nsid)
  }
}
