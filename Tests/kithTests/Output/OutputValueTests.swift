// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import Foundation
import TestSupport
import Testing

@testable import kith

@Suite struct OutputValueTests {
  private func json(_ value: OutputValue) -> String {
    var bytes: [UInt8] = []
    value.appendJSON(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func fieldsKeepTheirOrder() {
    let value = OutputValue.object([
      OutputField("z", .integer(1)), OutputField("a", .array([.null, .bool(true), .bool(false)])),
      OutputField("m", .number("0.250")),
    ])
    #expect(json(value) == #"{"z":1,"a":[null,true,false],"m":0.250}"#)
  }

  @Test(arguments: [
    ("say \"hi\" \\ now", #""say \"hi\" \\ now""#), ("a\nb\rc\td", #""a\nb\rc\td""#),
    ("\u{1B}[2J\u{7F}", #""\u001b[2J\u007f""#), ("\u{202E}x", #""\u202ex""#), ("鯨 🐳", "\"鯨 🐳\""),
    ("\u{E0041}", #""\udb40\udc41""#), ("a/b", #""a/b""#), ("", #""""#), ("🧿\u{200D}\"", #""🧿\u200d\"""#),
    ("\u{2028}", #""\u2028""#),
  ])
  func stringsAreEscapedForJSONAndTerminal(text: String, escaped: String) throws {
    #expect(json(.string(text)) == escaped)
    let back = try JSONDecoder().decode([String].self, from: Data("[\(escaped)]".utf8))
    #expect(back[0].unicodeScalars.elementsEqual(text.unicodeScalars))
  }

  /// Against a reader that knows nothing of runs.
  @Test func textOfAnyScalarsIsReadBackAsItWas() throws {
    var generator = SeededGenerator(seed: 7)
    let some: [Unicode.Scalar] = [
      "a", "\"", "\\", "\n", "é", "鯨", "🐳", "\u{200D}", "\u{7F}", "\u{0}", "\u{2029}",
    ]
    for length in 0..<200 {
      let text = String(
        String.UnicodeScalarView((0..<length).compactMap { _ in some.randomElement(using: &generator) }))
      let back = try JSONDecoder().decode([String].self, from: Data("[\(json(.string(text)))]".utf8))
      #expect(back[0].unicodeScalars.elementsEqual(text.unicodeScalars))
    }
  }

  @Test func answersOfServersAreIndentedAndEscaped() {
    let text = JSONText.readable(Array(#"{"b":[1,{}],"a":"\u001b[31m\u202e"}"#.utf8))
    #expect(text == "{\n  \"a\": \"\\u001b[31m\\u202e\",\n  \"b\": [\n    1,\n    {}\n  ]\n}")
  }

  @Test func whatIsNotJSONIsCleanedLineByLine() {
    #expect(JSONText.readable(Array("<p>\u{1B}[2J\n</p>".utf8)) == "<p>\u{FFFD}[2J\n</p>")
  }
}
