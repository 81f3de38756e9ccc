// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KithCore

@Suite struct OrderedJSONTests {
  private func parse(_ text: String) throws -> OrderedJSON { try OrderedJSON(reading: Array(text.utf8)) }

  @Test func keepsTheOrderOfMembers() throws {
    let value = try parse(#" {"b": 1, "a": [true, false, null, [], {}], "c": {"d": "e"}} "#)
    let expected = OrderedJSON.object([
      OrderedJSON.Member(name: "b", value: .integer(1)),
      OrderedJSON.Member(
        name: "a", value: .array([.boolean(true), .boolean(false), .null, .array([]), .object([])])),
      OrderedJSON.Member(name: "c", value: .object([OrderedJSON.Member(name: "d", value: .string("e"))])),
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

  @Test func refusesWhatIsNotJSON() {
    #expect(throws: DecodingError.self) { try parse("{\"a\": 1,\n\"a\": 2}") }
    #expect(throws: DecodingError.self) { try parse("[1,]") }
  }
}
