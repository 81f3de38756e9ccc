// SPDX-License-Identifier: Apache-2.0

import KithCore
import Testing

@Suite struct JSONRefusalTests {
  /// Accepts any document and decodes nothing of it.
  private struct Anything: Decodable {
    init(from decoder: any Decoder) throws {}
  }

  private func refusal(
    _ json: [UInt8], as type: any Decodable.Type = Anything.self, within bounds: JSONBounds = JSONBounds()
  ) -> DecodingError? {
    do {
      _ = try JSONCoding.decode(type, from: json, within: bounds)
      return nil
    } catch { return error as? DecodingError }
  }

  private func check(
    _ json: [UInt8], _ place: String, _ code: JSONFault.Code, _ offset: Int,
    as type: any Decodable.Type = Anything.self, within bounds: JSONBounds = JSONBounds(),
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let error = refusal(json, as: type, within: bounds)
    #expect(error?.place == place, sourceLocation: sourceLocation)
    let fault = error?.context?.underlyingError as? JSONFault
    #expect(fault?.code == code && fault?.offset == offset, sourceLocation: sourceLocation)
  }

  @Test(arguments: [
    ("", "", JSONFault.Code.endsTooEarly, 0),
    (" \n", "", .endsTooEarly, 2),
    ("[1,", "1", .endsTooEarly, 3),
    (#"{"a":"b"#, "a", .endsTooEarly, 7),
    (#"{"a""#, "a", .endsTooEarly, 4),
    ("[1] 2", "", .somethingFollows, 4),
    ("{}\0", "", .somethingFollows, 2),
    ("\u{feff}{}", "", .byteOrderMark, 0),
    ("\0", "", .expectedValue, 0),
    ("nul", "", .expectedValue, 0),
    ("[tru]", "0", .expectedValue, 1),
    ("[1,]", "1", .expectedValue, 3),
    ("NaN", "", .expectedValue, 0),
    ("// a\n1", "", .expectedValue, 0),
    ("['a']", "0", .expectedValue, 1),
    ("[1 2]", "0", .expectedCommaOrBracket, 3),
    ("[1}", "0", .expectedCommaOrBracket, 2),
    (#"{"a":1]"#, "a", .expectedCommaOrBrace, 6),
    (#"{"a":1,}"#, "", .expectedName, 7),
    (#"{"a":[{a:1}]}"#, "a.0", .expectedName, 7),
    (#"{"a" 1}"#, "a", .expectedColon, 5),
  ])
  func rejectsWhatIsNotADocument(json: String, place: String, code: JSONFault.Code, offset: Int) {
    check(Array(json.utf8), place, code, offset)
  }

  private static let otherNumbers = [
    (#"{"a":[0,1.5]}"#, "a.1", JSONFault.Code.notAnInteger, 8),
    ("-0.10", "", .notAnInteger, 0),
    ("[1e3]", "0", .exponent, 1),
    ("1.0E0", "", .exponent, 0),
    ("[-1.5e-7,1]", "0", .exponent, 1),
    ("[1,9223372036854775808]", "1", .integerTooLarge, 3),
    ("-9223372036854775809", "", .integerTooLarge, 0),
    ("100000000000000000000000", "", .integerTooLarge, 0),
    ("100000000000000000000000.0", "", .notAnInteger, 0),
  ]

  /// The data model has only integers.
  @Test(arguments: otherNumbers)
  func refusesToReadNumbersThatAreNoIntegersOf64Bits(
    json: String, place: String, code: JSONFault.Code, offset: Int
  ) {
    check(Array(json.utf8), place, code, offset, as: DataValue.self)
  }

  /// A field that is not decoded does no harm.
  @Test(arguments: otherNumbers)
  func ignoresNumbersThatAreNotDecoded(json: String, place: String, code: JSONFault.Code, offset: Int) {
    #expect(refusal(Array(json.utf8)) == nil)
  }

  @Test(arguments: [
    ("[01]", "0", JSONFault.Code.leadingZero, 1),
    ("1e", "", .endsTooEarly, 2),
    ("[1e+]", "0", .expectedDigit, 4),
    ("[1.0ex]", "0", .expectedDigit, 5),
    ("-00", "", .leadingZero, 1),
    ("-", "", .endsTooEarly, 1),
    ("1.", "", .endsTooEarly, 2),
    ("[-a]", "0", .expectedDigit, 2),
    ("[1.]", "0", .expectedDigit, 3),
    ("+1", "", .expectedValue, 0),
    (".5", "", .expectedValue, 0),
    ("0x10", "", .somethingFollows, 1),
  ])
  func rejectsWhatIsNotANumber(json: String, place: String, code: JSONFault.Code, offset: Int) {
    check(Array(json.utf8), place, code, offset)
  }

  @Test(arguments: [
    (#"{"a":1,"b":{"c":1,"c":2}}"#, "b.c", JSONFault.Code.repeatedName, 18),
    (#"{"a":1,"\u0061":2}"#, "a", .repeatedName, 7),
    (#"[{"":1,"":2}]"#, "0.", .repeatedName, 7),
    (#"{"é":1,"\u00e9":{"#, "é", .repeatedName, 8),
  ])
  func refusesRepeatedNames(json: String, place: String, code: JSONFault.Code, offset: Int) {
    check(Array(json.utf8), place, code, offset)
  }

  /// More names than are compared one by one, so they are sorted.
  @Test func refusesRepeatedNamesInALargeObject() {
    let members = (0..<1_000).map { #""name\#($0)":[]"# }
    #expect(refusal(Array("{\(members.joined(separator: ","))}".utf8)) == nil)
    let json = "{\((members + [#""name7":1"#, #""name3":1"#, #""last":1"#]).joined(separator: ","))}"
    let offset = members.joined(separator: ",").utf8.count + 2
    check(Array(json.utf8), "name7", .repeatedName, offset)
  }

  @Test(
    arguments: [
      ([0x80], 1), ([0xC0, 0x80], 1), ([0xC1, 0xBF], 1), ([0x61, 0xC3], 2), ([0xC3, 0x28], 1),
      ([0xE0, 0x80, 0x80], 1), ([0xE0, 0x9F, 0xBF], 1), ([0xE2, 0x82], 1), ([0xE2, 0x28, 0xA1], 1),
      ([0xED, 0xA0], 1), ([0xED, 0xA0, 0x28], 1), ([0xF0, 0x80, 0x80, 0x80], 1),
      ([0xF0, 0x8F, 0xBF, 0xBF], 1), ([0xF4, 0x90, 0x80, 0x80], 1), ([0xF5, 0x80, 0x80, 0x80], 1),
      ([0xF0, 0x9F, 0x98], 1), ([0xFF], 1), ([0xFE], 1), (Array(repeating: 0x61, count: 20) + [0xBF], 21),
      (Array(#"\n"#.utf8) + [0xED, 0xA0], 3),
    ] as [([UInt8], Int)])
  func refusesTextThatIsNotUTF8(text: [UInt8], offset: Int) {
    let quoted = [UInt8(ascii: "\"")] + text + [UInt8(ascii: "\"")]
    check(quoted, "", .notUTF8, offset)
    check(
      Array(#"{"a":[{"#.utf8) + quoted + Array(":1}]}".utf8), "a.0",
      .notUTF8, offset + 7)
  }

  @Test func refusesBytesThatAreNotUTF8OutsideOfStrings() {
    check([0x5B, 0xFF, 0x5D], "0", .expectedValue, 1)
  }

  @Test(arguments: 0..<0x20) func refusesControlCharacters(code: UInt8) {
    check([0x22, 0x61, code, 0x22], "", .controlCharacter, 2)
    check(
      Array(#"["\n12345678"#.utf8) + [code, 0x22, 0x5D], "0", .controlCharacter, 12)
  }

  @Test(arguments: [
    (#""\u12g4""#, JSONFault.Code.expectedHexDigit, 5),
    (#""\u12"#, .endsTooEarly, 5),
    (#""\x41""#, .unknownEscape, 1),
    (#""\"#, .endsTooEarly, 2),
  ])
  func rejectsInvalidEscapes(json: String, code: JSONFault.Code, offset: Int) {
    check(Array(json.utf8), "", code, offset)
  }

  @Test func boundsNesting() {
    func nested(_ open: String, _ close: String, _ depth: Int) -> [UInt8] {
      Array((String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)).utf8)
    }
    for (open, close, key) in [("[", "]", "0"), (#"{"a":"#, "}", "a")] {
      let path = Array(repeating: key, count: 128).joined(separator: ".")
      #expect(refusal(nested(open, close, 128)) == nil)
      check(nested(open, close, 129), path, .tooDeep, 128 * open.utf8.count)
      check(nested(open, close, 100_000), path, .tooDeep, 128 * open.utf8.count)
    }
    // Side by side they are not nested deeper.
    #expect(refusal(Array("[\(Array(repeating: "[[]]", count: 1_000).joined(separator: ","))]".utf8)) == nil)
  }

  // MARK: Bounds

  /// The list of a response is the response itself, or a member of it.
  @Test(arguments: [
    ("[1,2,3]", "2"), (#"{"a":[],"b":[[],{},3]}"#, "b.2"), (#"{"a":{"b":[1,2,3,4]},"c":[1,2,3]}"#, "c.2"),
    (#"{"a":[{"x":[1,2,3]},2,3]}"#, "a.2"),
  ])
  func stopsAtTheFirstElementTooMany(json: String, place: String) {
    let error = refusal(Array(json.utf8), within: JSONBounds(elements: 2))
    #expect(error?.place == place)
    #expect((error?.context?.underlyingError as? JSONFault)?.code == .tooManyElements)
    #expect(refusal(Array(json.utf8), within: JSONBounds(elements: 4)) == nil)
  }

  @Test func listsFurtherDownAreNotTheAnswers() {
    #expect(refusal(Array(#"{"a":[{"x":[1,2,3]},[1,2,3]]}"#.utf8), within: JSONBounds(elements: 2)) == nil)
  }

  @Test(arguments: ["5", "[]", "{}", #""""#, #"{"a":1}"#])
  func stopsAtTooManyNodes(element: String) {
    let json = Array("[\(Array(repeating: element, count: 5_000).joined(separator: ","))]".utf8)
    let fault = refusal(json, within: JSONBounds(nodes: 3_000))?.context?.underlyingError as? JSONFault
    #expect(fault?.code == .tooManyNodes)
    #expect(refusal(json, within: JSONBounds(nodes: 15_001)) == nil)
  }

  /// Two bytes each, as a hostile server would send them: parsing stops before their end.
  @Test func stopsAtAMillionNodesByDefault() {
    let json = Array("[\(String(repeating: "5,", count: 3_000_000))5]".utf8)
    check(json, "\(1 << 20 - 1)", .tooManyNodes, 2 << 20 - 1)
  }
}
