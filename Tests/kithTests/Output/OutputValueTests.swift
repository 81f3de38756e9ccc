// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import Foundation
import Testing

@testable import kith

@Suite struct OutputValueTests {
  private func json(_ value: OutputValue) -> String {
    var text = ""
    value.appendJSON(to: &text)
    return text
  }

  @Test func fieldsKeepTheirOrder() {
    let value = OutputValue.object([
      OutputField("z", .integer(1)), OutputField("a", .array([.null, .bool(true), .bool(false)])),
      OutputField("m", .number("0.250")),
    ])
    #expect(json(value) == #"{"z":1,"a":[null,true,false],"m":0.250}"#)
  }

  @Test func absenceIsNull() {
    #expect(OutputValue(nil as String?) == .null)
    #expect(OutputValue(nil as Bool?) == .null)
    #expect(OutputValue(nil as Int?) == .null)
  }

  @Test(arguments: [
    ("say \"hi\" \\ now", #""say \"hi\" \\ now""#), ("a\nb\rc\td", #""a\nb\rc\td""#),
    ("\u{1B}[2J\u{7F}", #""\u001b[2J\u007f""#), ("\u{202E}x", #""\u202ex""#), ("鯨 🐳", "\"鯨 🐳\""),
    ("\u{E0041}", #""\udb40\udc41""#), ("a/b", #""a/b""#),
  ])
  func stringsAreEscapedForJSONAndTerminal(text: String, escaped: String) throws {
    #expect(json(.string(text)) == escaped)
    let back = try JSONDecoder().decode([String].self, from: Data("[\(escaped)]".utf8))
    #expect(back[0].unicodeScalars.elementsEqual(text.unicodeScalars))
  }

  @Test func cellsOfCSVHoldPlainTextAndNothingForNull() {
    #expect(OutputValue.null.cell == "")
    #expect(OutputValue.string("a,b").cell == "a,b")
    #expect(OutputValue.bool(true).cell == "true")
    #expect(OutputValue.array([.integer(1), .integer(2)]).cell == "[1,2]")
  }

  @Test(arguments: [
    ("plain", "plain"), ("", ""), ("a,b", "\"a,b\""), ("say \"hi\"", "\"say \"\"hi\"\"\""),
    ("two\nlines", "\"two\nlines\""), ("a\rb", "\"a\rb\""), ("a;b", "a;b"),
  ])
  func csvQuotesOnlyWhatNeedsIt(cell: String, quoted: String) {
    #expect(CSVText.quoted(cell) == quoted)
  }

  @Test func answersOfServersAreIndentedAndEscaped() {
    let text = JSONText.readable(Array(#"{"b":[1,{}],"a":"\u001b[31m\u202e"}"#.utf8))
    #expect(text == "{\n  \"a\": \"\\u001b[31m\\u202e\",\n  \"b\": [\n    1,\n    {}\n  ]\n}")
  }

  @Test func whatIsNotJSONIsCleanedLineByLine() {
    #expect(JSONText.readable(Array("<p>\u{1B}[2J\n</p>".utf8)) == "<p>\u{FFFD}[2J\n</p>")
  }
}
