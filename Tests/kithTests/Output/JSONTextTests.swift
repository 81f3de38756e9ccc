// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import kith

@Suite struct JSONTextTests {
  @Test func serverResponsesAreIndentedAndEscaped() {
    let text = JSONText.readable(Array(#"{"b":[1,{}],"a":"\u001b[31m\u202e"}"#.utf8))
    #expect(text == "{\n  \"a\": \"\\u001b[31m\\u202e\",\n  \"b\": [\n    1,\n    {}\n  ]\n}")
  }

  @Test func otherTextIsCleanedLineByLine() {
    #expect(JSONText.readable(Array("<p>\u{1B}[2J\n</p>".utf8)) == "<p>\u{FFFD}[2J\n</p>")
  }
}
