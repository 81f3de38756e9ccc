// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

@testable import KithOperations

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

  /// Compared with the escapes of single scalars, which have no runs.
  @Test func textIsEscapedScalarByScalar() throws {
    var generator = SeededGenerator(seed: 7)
    let odd: [Unicode.Scalar] = [
      "\"", "\\", "\n", "é", "鯨", "🐳", "\u{200D}", "\u{7F}", "\u{80}", "\u{0}", "\u{1F}", "\u{2029}", "~",
      " ",
    ]
    for round in 0..<2_000 {
      var scalars = String.UnicodeScalarView()
      for _ in 0..<(round % 40) {
        let isOdd = Int.random(in: 0..<12, using: &generator) == 0
        scalars.append((isOdd ? odd.randomElement(using: &generator) : nil) ?? "a")
      }
      let alone = scalars.map { json(.string(String($0))).dropFirst().dropLast() }
      #expect(json(.string(String(scalars))) == "\"\(alone.joined())\"")
    }
    for byte in UInt8(0)..<0x80 {
      let text = String(UnicodeScalar(byte))
      let back = try JSONDecoder().decode([String].self, from: Data("[\(json(.string(text)))]".utf8))
      #expect(back == [text])
      let isEscaped = byte < 0x20 || byte == 0x7f || text == "\"" || text == "\\"
      #expect(json(.string(text)).contains("\\") == isEscaped)
    }
  }
}
