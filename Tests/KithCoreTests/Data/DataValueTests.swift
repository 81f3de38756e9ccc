// SPDX-License-Identifier: Apache-2.0

import KithCore
import Testing

@Suite struct DataValueTests {
  private static let link = "bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a"

  private func read(_ json: String) throws -> DataValue {
    try JSONCoding.decode(DataValue.self, from: Array(json.utf8))
  }

  private func written(_ value: DataValue) throws -> String {
    String(decoding: try JSONCoding.encode(value), as: UTF8.self)
  }

  @Test(
    arguments: [
      ("null", nil), ("true", true), ("false", false), ("0", 0), ("1", 1),
      ("-9223372036854775808", .integer(.min)),
      ("9223372036854775807", .integer(.max)), (#""""#, ""), (#""a~öñ😀""#, "a~öñ😀"), ("[]", []), ("{}", [:]),
      (#"[null,[1,"1",true]]"#, [nil, [1, "1", true]]), (#"{"a":{"b":null}}"#, ["a": ["b": nil]]),
      (#"{"$bytes":""}"#, .bytes([])), (#"{"$bytes":"AQ"}"#, .bytes([1])),
      (#"{"$bytes":"AQI"}"#, .bytes([1, 2])),
      (#"{"$bytes":"++//"}"#, .bytes([0xFB, 0xEF, 0xFF])),
    ] as [(String, DataValue)])
  func readsAndWrites(json: String, value: DataValue) throws {
    #expect(try read(json) == value)
    #expect(try written(value) == json)
  }

  @Test func readsAndWritesLinks() throws {
    let json = #"{"$link":"\#(Self.link)"}"#
    #expect(try read(json) == .link(CID(parsing: Self.link)))
    #expect(try written(.link(CID(parsing: Self.link))) == json)
  }

  @Test(
    arguments: [("123.0", 123), ("-0", 0), ("-0.00", 0), (#"{"$bytes":"AQ=="}"#, .bytes([1]))]
      as [(String, DataValue)])
  func readsOtherSpellings(json: String, value: DataValue) throws {
    #expect(try read(json) == value)
  }

  @Test(arguments: [
    ("123.456", []), ("9223372036854775808", []), ("1e300", []), ("1e3", []),
    (#"{"a":[0,1.5]}"#, ["a", "1"]),
    (#"{"$bytes":1}"#, ["$bytes"]), (#"{"$bytes":"A"}"#, ["$bytes"]), (#"{"$bytes":"A Q"}"#, ["$bytes"]),
    (#"{"$bytes":"AQ="}"#, ["$bytes"]), (#"{"$bytes":"AQ","a":1}"#, ["a"]), (#"{"$bytes":null}"#, ["$bytes"]),
    (#"{"x":{"$link":"."}}"#, ["x", "$link"]), (#"{"$link":1}"#, ["$link"]),
    (#"{"$link":"b","$bytes":""}"#, ["$bytes"]),
    (#"{"$link":"zdj7WWeQ43G6JJvLWQWZpyHuAMq6uYWRjkBXFad11vE2LHhQ7"}"#, ["$link"]),
    (#"{"a":{"$type":null}}"#, ["a", "$type"]), (#"{"$type":1}"#, ["$type"]), (#"{"$type":""}"#, ["$type"]),
    (#"{"$type":"blob"}"#, ["mimeType"]),
    (#"{"$type":"blob","mimeType":"a/b","size":"1","ref":{"$link":"\#(link)"}}"#, ["size"]),
    (#"{"$type":"blob","mimeType":"a/b","size":-1,"ref":{"$link":"\#(link)"}}"#, ["size"]),
    (#"{"$type":"blob","mimeType":"a/b","size":1,"ref":"\#(link)"}"#, ["ref"]),
  ])
  func refusesWithTheCodingPath(json: String, path: [String]) {
    let error = #expect(throws: DecodingError.self) { try read(json) }
    guard let error else { return }
    #expect(error.path == path, "\(error)")
  }

  @Test func boundsNesting() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(try written(read(nested(128))) == nested(128))
    #expect(throws: DecodingError.self) { try read(nested(129)) }
    #expect(throws: DecodingError.self) { try read(nested(100_000)) }
    #expect(throws: DecodingError.self) {
      try read(String(repeating: #"{"a":"#, count: 129) + "1" + String(repeating: "}", count: 129))
    }
  }

  @Test func givesWhatItHolds() throws {
    let value: DataValue = ["$type": "a.b.c", "n": 5, "list": [true, nil], "text": "x"]
    #expect(value.type == "a.b.c")
    #expect(value["n"]?.integer == 5)
    #expect(value["list"]?[0]?.bool == true)
    #expect(value["list"]?[1]?.isNull == true)
    #expect(value["list"]?[2] == nil)
    #expect(value["list"]?[-1] == nil)
    #expect(value["none"] == nil)
    #expect(value["n"]?["none"] == nil)
    #expect(value["text"]?.integer == nil)
    #expect(value["n"]?.string == nil)
    #expect(value["list"]?.array?.count == 2)
    #expect(value.object?.count == 4)
    #expect(DataValue.bytes([1]).bytes == [1])
    #expect(try DataValue.link(CID(parsing: Self.link)).link == CID(parsing: Self.link))
  }

  @Test func turnsIntoOtherTypesAndBack() throws {
    let blob = Blob(ref: try CID(parsing: Self.link), mimeType: "image/png", size: 7)
    let value = try DataValue(encoding: blob)
    #expect(value.type == "blob")
    #expect(value["ref"]?.link == blob.ref)
    #expect(try value.decode(Blob.self) == blob)
    #expect(throws: DecodingError.self) { try value.decode([String].self) }
    #expect(throws: DecodingError.self) { try DataValue(encoding: ["half": 0.5]) }
  }

  @Test(arguments: ["[]", "null", #""blah""#, #"{"$bytes":"AQ"}"#])
  func refusesRecordsThatAreNoObjects(json: String) {
    #expect(throws: DecodingError.self) { try DataValue.record(json: Array(json.utf8)) }
  }

  @Test(arguments: ["$link", "$bytes"])
  func refusesToWriteAnObjectThatWouldBeReadAsAnother(key: String) {
    #expect(throws: EncodingError.self) { try written(.object([key: "bafkqaaa"])) }
  }

  @Test func refusesToEncodeAnInvalidLink() throws {
    let opaque = try CID(parsing: "zdj7WWeQ43G6JJvLWQWZpyHuAMq6uYWRjkBXFad11vE2LHhQ7")
    #expect(throws: EncodingError.self) { try written(.link(opaque)) }
  }
}

extension DecodingError {
  /// The coding path, including a missing key; indexes as text.
  fileprivate var path: [String] {
    let path: [any CodingKey] =
      switch self {
      case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
        context.codingPath
      case .keyNotFound(let key, let context): context.codingPath + [key]
      @unknown default: []
      }
    return path.map { $0.intValue.map { String($0) } ?? $0.stringValue }
  }
}
