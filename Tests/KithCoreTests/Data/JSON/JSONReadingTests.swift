// SPDX-License-Identifier: Apache-2.0

import KithCore
import Testing

@Suite struct JSONReadingTests {
  private func read<Value: Decodable>(_ json: String, as type: Value.Type = Value.self) throws -> Value {
    try JSONCoding.decode(type, from: Array(json.utf8))
  }

  @Test(arguments: [
    (#""""#, ""), (#""plain""#, "plain"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"),
    (#""a\u0000b""#, "a\0b"), (#""\u00E9\u20ac\uD83E\udd8b""#, "é€🦋"), ("\"\u{7f}é€🦋\"", "\u{7f}é€🦋"),
    (#""\u007f\u0080\u07ff\u0800\uffff""#, "\u{7f}\u{80}\u{7ff}\u{800}\u{ffff}"),
    (#""\udbff\udfff""#, "\u{10ffff}"), (#""seven b""#, "seven b"), (#""exactly8""#, "exactly8"),
    (
      #""long enough for the heap, with an escape \u0041 and more""#,
      "long enough for the heap, with an escape A and more"
    ),
    (#" "white space" "# + "\t\r\n", "white space"),
  ])
  func readsStrings(json: String, text: String) throws {
    #expect(try read(json) == text)
    #expect(try read("[\(json),\(json)]") == [text, text])
  }

  /// Programs cut texts within an emoji, and print or send the half.
  @Test(arguments: [
    (#"\ud83d"#, "\u{FFFD}"), (#"a\ude00b"#, "a\u{FFFD}b"), (#"\ud83d\n"#, "\u{FFFD}\n"),
    (#"\ud83d\ud83d\ude00"#, "\u{FFFD}😀"), (#"\ud83d\u0041"#, "\u{FFFD}A"), (#"\ud83dx"#, "\u{FFFD}x"),
    (#"\ud83d\\"#, "\u{FFFD}\\"),
  ])
  func halfAnEmojiBecomesAReplacement(json: String, text: String) throws {
    #expect(try read("\"\(json)\"") == text)
    #expect(
      try read(#"[{"\#(json)":["\#(json)"]},"after"]"#, as: DataValue.self)[0]?[text]?[0]?.string == text)
  }

  @Test(arguments: [[0xED, 0xA0, 0xBD], [0xED, 0xB8, 0x80], [0xED, 0xAF, 0xBF]] as [[UInt8]])
  func halfAnEmojiInThreeBytesBecomesAReplacement(half: [UInt8]) throws {
    let (start, end) = (Array(#"["a"#.utf8), Array(#"b","after"]"#.utf8))
    #expect(
      try JSONCoding.decode([String].self, from: start + half + half + end) == [
        "a\u{FFFD}\u{FFFD}b", "after",
      ])
    let escaped = Array(#"\u0041"#.utf8)
    #expect(
      try JSONCoding.decode([String].self, from: start + escaped + half + end) == ["aA\u{FFFD}b", "after"])
  }

  @Test(
    arguments: [
      ("0", 0), ("-0", 0), ("7", 7), ("-7", -7), ("7.0", 7), ("-12.000", -12), ("1234567890", 1_234_567_890),
      ("9223372036854775807", .max), ("-9223372036854775808", .min), ("9223372036854775807.0", .max),
    ] as [(String, Int64)])
  func readsIntegers(json: String, number: Int64) throws {
    #expect(try read(json) == number)
    #expect(try read("[\(json)]") == [number])
    #expect(try read(#"{"a":\#(json)}"#) == ["a": number])
  }

  /// Regardless of the order, of other members, and of how the name is escaped.
  @Test(arguments: [
    #"{"first":1,"second":"x","list":[1,2],"inner":{"first":2}}"#,
    #"{"inner":{"first":2,"x":{}},"list":[1,2],"second":"x","first":1}"#,
    #"{"\u0066irst":1,"list":[1,2],"more":[[{"first":9}]],"s\u0065cond":"\u0078","inner":{"first":2}}"#,
    #" { "list" : [ 1 , 2 ] , "null" : null , "first" : 1 , "inner" : { "first" : 2 } , "second" : "x" } "#,
  ])
  func findsMembers(json: String) throws {
    #expect(
      try read(json) == Sample(first: 1, second: "x", list: [1, 2], inner: .init(first: 2), absent: nil))
  }

  private struct Sample: Decodable, Equatable {
    struct Inner: Decodable, Equatable { let first: Int }

    let first: Int
    let second: String
    let list: [Int]
    let inner: Inner
    let absent: String?
  }

  @Test(arguments: [
    (#"{"first":"1"}"#, "first", 9), (#"{"first":1,"second":null}"#, "second", 20),
    (#"{"first":1,"second":"","list":{}}"#, "list", 30),
    (#"{"first":1,"second":"","list":[0,true]}"#, "list.1", 33),
    (#"{"first":1,"second":"","list":[],"inner":[]}"#, "inner", 41),
    (#"{"first":1,"second":"","list":[],"inner":{"first":1},"absent":2}"#, "absent", 62),
  ])
  func saysWhereAValueIsOfAnotherKind(json: String, place: String, offset: Int) throws {
    let error = try #require(throws: DecodingError.self) { try read(json, as: Sample.self) }
    #expect(error.place == place)
    #expect(error.context?.debugDescription.hasSuffix(" \(offset)") == true)
    switch error {
    case .typeMismatch, .valueNotFound: break
    default: Issue.record(error)
    }
  }

  @Test func saysWhereAMemberIsMissing() throws {
    let json = #"{"first":1,"second":"","list":[],"inner":{}}"#
    let error = try #require(throws: DecodingError.self) { try read(json, as: Sample.self) }
    guard case .keyNotFound(let key, let context) = error else {
      Issue.record(error)
      return
    }
    #expect(error.place == "inner" && key.stringValue == "first")
    #expect(context.debugDescription.hasSuffix(" 41"))
  }

  @Test func refusesNumbersThatDoNotFit() throws {
    #expect(try read("[255,0]", as: [UInt8].self) == [255, 0])
    #expect(try read(#"{"a":-128}"#, as: [String: Int8].self) == ["a": -128])
    for json in ["[256]", "[-1]"] {
      let error = try #require(throws: DecodingError.self) { try read(json, as: [UInt8].self) }
      #expect(error.place == "0")
      #expect(error.context?.debugDescription.hasSuffix(" 1") == true)
    }
    #expect(try read("[9007199254740992]", as: [Double].self) == [9_007_199_254_740_992])
    #expect(throws: DecodingError.self) { try read("[9007199254740993]", as: [Double].self) }
  }

  @Test func readsOptionalAndNull() throws {
    #expect(try read("[null,1]", as: [Int?].self) == [nil, 1])
    #expect(try read("null", as: Int?.self) == nil)
    #expect(
      try read(#"{"a":null,"b":{"c":null}}"#, as: [String: [String: Bool?]?].self) == [
        "a": nil, "b": ["c": nil],
      ])
  }

  /// Large enough for the path that reserves capacity for all elements.
  @Test(arguments: [0, 1, 31, 32, 33, 1_000]) func readsArraysOfAnySize(count: Int) throws {
    let numbers = Array(0..<count)
    #expect(try read("\(numbers)") == numbers)
    #expect(try read(#"{"a":\#(numbers)}"#) == ["a": numbers])
    #expect(try read("[\(numbers),\(numbers)]") == [numbers, numbers])
    let objects = numbers.map { #"{"n":\#($0)}"# }.joined(separator: ",")
    #expect(try read("[\(objects)]", as: [[String: Int]].self) == numbers.map { ["n": $0] })
    #expect(try read("\(numbers)", as: Set<Int>.self) == Set(numbers))
  }

  /// A type may keep the decoder it was given.
  @Test func outlivesTheCall() throws {
    struct Kept: Decodable {
      let decoder: any Decoder
      init(from decoder: any Decoder) throws { self.decoder = decoder }
    }
    let kept = try read(#"{"a":{"b":["text that lies on the heap"]}}"#, as: [String: Kept].self)
    let values = try [String: [String]](from: try #require(kept["a"]).decoder)
    #expect(values == ["b": ["text that lies on the heap"]])
  }
}
