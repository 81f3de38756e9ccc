// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import lexgen

@Suite struct JSONParserTests {
  private func parse(_ text: String) throws -> JSONValue { try JSONParser.parse(Array(text.utf8)) }

  @Test func keepsTheOrderOfMembers() throws {
    let value = try parse(#" {"b": 1, "a": [true, false, null], "c": {"d": "e"}} "#)
    let expected = JSONValue.object([
      JSONValue.Member(name: "b", value: .integer(1)),
      JSONValue.Member(name: "a", value: .array([.boolean(true), .boolean(false), .null])),
      JSONValue.Member(
        name: "c", value: .object([JSONValue.Member(name: "d", value: .string("e"))])),
    ])
    #expect(value == expected)
  }

  @Test func readsEscapes() throws {
    #expect(
      try parse(#""\"\\\/\b\f\n\r\tA\u00e9\u20AC\ud83d\ude00é""#)
        == .string("\"\\/\u{8}\u{c}\n\r\tAé€😀é"))
  }

  @Test(arguments: ["1.5", "1e3", "99999999999999999999"]) func keepsNumbersThatAreNoInteger(
    text: String
  ) throws {
    #expect(try parse(text) == .otherNumber(text))
  }

  @Test(arguments: [
    "", "{", "[1,]", #"{"a":1,}"#, #"{"a" 1}"#, "tru", "01", "-", "+1", #""a"#, #""\x""#, #""\ud83d""#,
    #""\u12""#,
    "1 2", "{1:2}", "\"\u{1}\"", "[1 2]", "'a'",
  ]) func refusesWhatIsNotJSON(text: String) {
    #expect(throws: JSONParser.Fault.self) { try parse(text) }
  }

  @Test func refusesANameThatOccursTwice() throws {
    #expect(throws: JSONParser.Fault.self) { try parse("{\"a\": 1,\n\"a\": 2}") }
  }

  @Test func boundsNesting() throws {
    #expect(throws: JSONParser.Fault.self) { try parse(String(repeating: "[", count: 100_000)) }
  }
}
