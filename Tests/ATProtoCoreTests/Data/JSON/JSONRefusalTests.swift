// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import Testing

@Suite struct JSONRefusalTests {
  /// Takes any document, and reads nothing of it.
  private struct Anything: Decodable {
    init(from decoder: any Decoder) throws {}
  }

  private func refusal(_ json: [UInt8]) -> DecodingError? {
    do {
      _ = try JSONCoding.decode(Anything.self, from: json)
      return nil
    } catch { return error as? DecodingError }
  }

  private func check(
    _ json: [UInt8], _ place: String, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let error = refusal(json)
    #expect(error?.place == place, sourceLocation: sourceLocation)
    #expect(error?.context?.debugDescription == text, sourceLocation: sourceLocation)
  }

  @Test(arguments: [
    ("", "", "the document ends too early at byte 0"),
    (" \n", "", "the document ends too early at byte 2"),
    ("[1,", "1", "the document ends too early at byte 3"),
    (#"{"a":"b"#, "a", "the document ends too early at byte 7"),
    (#"{"a""#, "a", "the document ends too early at byte 4"),
    ("[1] 2", "", "something follows the document at byte 4"),
    ("{}\0", "", "something follows the document at byte 2"),
    ("\u{feff}{}", "", "a byte order mark before the document at byte 0"),
    ("\0", "", "expected a value at byte 0"),
    ("nul", "", "expected a value at byte 0"),
    ("[tru]", "0", "expected a value at byte 1"),
    ("[1,]", "1", "expected a value at byte 3"),
    ("NaN", "", "expected a value at byte 0"),
    ("// a\n1", "", "expected a value at byte 0"),
    ("['a']", "0", "expected a value at byte 1"),
    ("[1 2]", "0", "expected a comma or ] at byte 3"),
    ("[1}", "0", "expected a comma or ] at byte 2"),
    (#"{"a":1]"#, "a", "expected a comma or } at byte 6"),
    (#"{"a":1,}"#, "", "expected the name of a member at byte 7"),
    (#"{"a":[{a:1}]}"#, "a.0", "expected the name of a member at byte 7"),
    (#"{"a" 1}"#, "a", "expected a colon at byte 5"),
  ])
  func refusesWhatIsNoDocument(json: String, place: String, text: String) {
    check(Array(json.utf8), place, text)
  }

  @Test(arguments: [
    (#"{"a":[0,1.5]}"#, "a.1", "a number that is no integer at byte 8"),
    ("-0.10", "", "a number that is no integer at byte 0"),
    ("[1e3]", "0", "a number with an exponent at byte 1"),
    ("1.0E0", "", "a number with an exponent at byte 0"),
    ("[1,9223372036854775808]", "1", "a number that does not fit in an integer of 64 bits at byte 3"),
    ("-9223372036854775809", "", "a number that does not fit in an integer of 64 bits at byte 0"),
    ("100000000000000000000000", "", "a number that does not fit in an integer of 64 bits at byte 0"),
    ("[01]", "0", "a number starts with a zero at byte 1"),
    ("-00", "", "a number starts with a zero at byte 1"),
    ("-", "", "the document ends too early at byte 1"),
    ("1.", "", "the document ends too early at byte 2"),
    ("[-a]", "0", "expected a digit at byte 2"),
    ("[1.]", "0", "expected a digit at byte 3"),
    ("+1", "", "expected a value at byte 0"),
    (".5", "", "expected a value at byte 0"),
    ("0x10", "", "something follows the document at byte 1"),
  ])
  func refusesNumbersThatAreNoIntegersOf64Bits(json: String, place: String, text: String) {
    check(Array(json.utf8), place, text)
  }

  @Test(arguments: [
    (#"{"a":1,"b":{"c":1,"c":2}}"#, "b.c", "the name \"c\" a second time at byte 18"),
    (#"{"a":1,"\u0061":2}"#, "a", "the name \"a\" a second time at byte 7"),
    (#"[{"":1,"":2}]"#, "0.", "the name \"\" a second time at byte 7"),
    (#"{"é":1,"\u00e9":{"#, "é", "the name \"é\" a second time at byte 8"),
  ])
  func refusesRepeatedNames(json: String, place: String, text: String) {
    check(Array(json.utf8), place, text)
  }

  /// More names than are compared one by one, so that they are sorted.
  @Test func refusesRepeatedNamesInALargeObject() {
    let members = (0..<1_000).map { #""name\#($0)":[]"# }
    #expect(refusal(Array("{\(members.joined(separator: ","))}".utf8)) == nil)
    let json = "{\((members + [#""name7":1"#, #""name3":1"#, #""last":1"#]).joined(separator: ","))}"
    let offset = members.joined(separator: ",").utf8.count + 2
    check(Array(json.utf8), "name7", "the name \"name7\" a second time at byte \(offset)")
  }

  @Test(
    arguments: [
      ([0x80], 1), ([0xC0, 0x80], 1), ([0xC1, 0xBF], 1), ([0x61, 0xC3], 2), ([0xC3, 0x28], 1),
      ([0xE0, 0x80, 0x80], 1), ([0xE0, 0x9F, 0xBF], 1), ([0xE2, 0x82], 1), ([0xE2, 0x28, 0xA1], 1),
      ([0xED, 0xA0, 0x80], 1), ([0xED, 0xBF, 0xBF], 1), ([0xF0, 0x80, 0x80, 0x80], 1),
      ([0xF0, 0x8F, 0xBF, 0xBF], 1), ([0xF4, 0x90, 0x80, 0x80], 1), ([0xF5, 0x80, 0x80, 0x80], 1),
      ([0xF0, 0x9F, 0x98], 1), ([0xFF], 1), ([0xFE], 1), (Array(repeating: 0x61, count: 20) + [0xBF], 21),
      (Array(#"\n"#.utf8) + [0xED, 0xA0, 0x80], 3),
    ] as [([UInt8], Int)])
  func refusesTextThatIsNotUTF8(text: [UInt8], offset: Int) {
    let quoted = [UInt8(ascii: "\"")] + text + [UInt8(ascii: "\"")]
    check(quoted, "", "a string that is not UTF-8 at byte \(offset)")
    check(
      Array(#"{"a":[{"#.utf8) + quoted + Array(":1}]}".utf8), "a.0",
      "a string that is not UTF-8 at byte \(offset + 7)")
  }

  @Test func refusesBytesThatAreNotUTF8OutsideOfStrings() {
    check([0x5B, 0xFF, 0x5D], "0", "expected a value at byte 1")
  }

  @Test(arguments: 0..<0x20) func refusesControlCharacters(code: UInt8) {
    check([0x22, 0x61, code, 0x22], "", "a control character in a string at byte 2")
    check(
      Array(#"["\n12345678"#.utf8) + [code, 0x22, 0x5D], "0", "a control character in a string at byte 12")
  }

  @Test(arguments: [
    (#""\ud83d""#, "half of a surrogate pair at byte 1"),
    (#""a\ude00""#, "half of a surrogate pair at byte 2"),
    (#""\ud83d\n""#, "half of a surrogate pair at byte 1"),
    (#""\ud83d\ud83d""#, "half of a surrogate pair at byte 1"),
    (#""\ud83d\u0041""#, "half of a surrogate pair at byte 1"),
    (#""\u12g4""#, "expected a hexadecimal digit at byte 5"),
    (#""\u12"#, "the document ends too early at byte 5"),
    (#""\x41""#, "an escape that JSON does not have at byte 1"),
    (#""\"#, "the document ends too early at byte 2"),
  ])
  func refusesEscapesThatAreNone(json: String, text: String) {
    check(Array(json.utf8), "", text)
  }

  @Test func boundsNesting() {
    func nested(_ open: String, _ close: String, _ depth: Int) -> [UInt8] {
      Array((String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)).utf8)
    }
    for (open, close, key) in [("[", "]", "0"), (#"{"a":"#, "}", "a")] {
      let path = Array(repeating: key, count: 128).joined(separator: ".")
      #expect(refusal(nested(open, close, 128)) == nil)
      check(nested(open, close, 129), path, "nested deeper than 128 at byte \(128 * open.utf8.count)")
      check(nested(open, close, 100_000), path, "nested deeper than 128 at byte \(128 * open.utf8.count)")
    }
    // Beside each other they are no deeper.
    #expect(refusal(Array("[\(Array(repeating: "[[]]", count: 1_000).joined(separator: ","))]".utf8)) == nil)
  }
}
