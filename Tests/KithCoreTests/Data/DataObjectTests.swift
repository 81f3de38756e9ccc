// SPDX-License-Identifier: Apache-2.0

import KithCore
import Testing

/// Names of fields that look the same, and have other bytes, are two names.
@Suite struct DataObjectTests {
  /// One sign, and a letter with an accent after it.
  private static let names = ("\u{E9}", "e\u{301}")
  private static let both: DataObject = [names.0: "one", names.1: "two"]
  private static let json = "{\"e\u{301}\":\"two\",\"\u{E9}\":\"one\"}"

  private func read<Value: Decodable>(_ json: String, as type: Value.Type = DataValue.self) throws -> Value {
    try JSONCoding.decode(type, from: Array(json.utf8))
  }

  @Test func namesThatLookTheSameAreTwoFields() throws {
    var object = Self.both
    #expect(object.count == 2)
    #expect(object[Self.names.0] == "one" && object[Self.names.1] == "two")
    object[Self.names.0] = 1
    #expect(object[Self.names.1] == "two" && object != Self.both)
    #expect(object.removeValue(forKey: Self.names.1) == "two" && object.count == 1)
    #expect(Self.both.merging(["x": 1]) { $1 }.count == 3)
    let one: DataObject = [Self.names.0: "one"]
    #expect(Self.both.filter { $0.value == "one" } == one)
  }

  @Test func valuesThatLookTheSameAreTwoValues() {
    #expect(DataValue.string(Self.names.0) != .string(Self.names.1))
    #expect(Set([DataValue.string(Self.names.0), .string(Self.names.1), .string(Self.names.0)]).count == 2)
    // Marks in another order take the same number of bytes.
    #expect(DataValue.string("a\u{301}\u{323}") != .string("a\u{323}\u{301}"))
    #expect(DataValue.object([Self.names.0: 1]) != .object([Self.names.1: 1]))
  }

  @Test(arguments: [
    "{\"e\u{301}\":\"two\",\"\u{E9}\":\"one\"}", "{\"\u{E9}\":\"one\",\"e\u{301}\":\"two\"}",
    #"{"\u00e9":"one","e\u0301":"two"}"#,
  ])
  func bothAreReadAndWrittenInTheOrderOfTheirBytes(json: String) throws {
    let value = try read(json)
    #expect(value.object == Self.both)
    #expect(try JSONCoding.encode(value) == Array(Self.json.utf8))
    #expect(try JSONCoding.encode(["list": [value]]) == Array("{\"list\":[\(Self.json)]}".utf8))
    #expect(try JSONCoding.encode(try read(json, as: Kept.self)) == Array(Self.json.utf8))
  }

  @Test func theSameBytesTwiceAreRefused() {
    #expect(throws: DecodingError.self) { try read(#"{"e\u0301":1,"\#(Self.names.1)":2}"#) }
  }

  @Test func aNameThatLooksLikeOneOfTheLexiconIsUnknown() throws {
    // The sign for kelvin looks like a K, and is equal to it as a string.
    let kept = try read("{\"K\":1,\"\u{212A}\":2}", as: Kept.self)
    #expect(kept.unknownFields.count == 1 && kept.k == 1)
    #expect(try read(String(decoding: JSONCoding.encode(kept), as: UTF8.self), as: Kept.self) == kept)
  }

  /// An object with one field of its own.
  private struct Kept: LexiconObject {
    var k: Int64?
    var unknownFields: DataObject

    init(from decoder: any Decoder) throws {
      k = try decoder.container(keyedBy: DataKey.self).decodeIfPresent(Int64.self, forKey: "K")
      unknownFields = try Self.unknownFields(in: decoder, besides: ["K"])
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: DataKey.self)
      try container.encodeIfPresent(k, forKey: "K")
      try encodeUnknownFields(to: encoder)
    }
  }
}
