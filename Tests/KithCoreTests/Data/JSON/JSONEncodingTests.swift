// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import KithCore

/// What is encoded is what Foundation's encoder writes, apart from the order of names that are not ASCII.
@Suite struct JSONEncodingTests {
  private struct Everything: Codable, Equatable {
    var flag = true
    var small: Int8 = -8
    var large: UInt64 = .max
    var half = 0.5
    var whole = 3.0
    var tiny: Float = 1e-9
    var text = "a\"\\/\u{8}\t\n\u{C}\r\u{0}\u{1F}\u{7F}é😀"
    var none: Int?
    var list: [[Int?]] = [[], [1, nil], [2]]
    var names: [String: [String: Bool]] = ["b": [:], "a": ["x": false, "B": true]]
    var inner = Inner()
  }

  private struct Inner: Codable, Equatable {
    enum Keys: CodingKey { case list, object, same }

    init() {}
    init(from decoder: any Decoder) throws {}

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Keys.self)
      var list = container.nestedUnkeyedContainer(forKey: .list)
      try list.encode("x")
      try list.encodeNil()
      var element = list.nestedContainer(keyedBy: Keys.self)
      try element.encode(1, forKey: .same)
      var elements = list.nestedUnkeyedContainer()
      try elements.encode(2)
      try "super".encode(to: list.superEncoder())
      // Two containers of one object, and two values of one name, of which the last one stays.
      var object = container.nestedContainer(keyedBy: Keys.self, forKey: .object)
      try object.encode(1, forKey: .same)
      var again = encoder.container(keyedBy: DataKey.self)
      try again.encode(3, forKey: "again")
      try object.encode(2, forKey: .same)
      try container.encodeNil(forKey: .same)
      try true.encode(to: container.superEncoder())
    }
  }

  @Test func aValueOfEveryKindIsWrittenAsFoundationDoes() throws {
    let foundation = JSONEncoder()
    foundation.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    for value in [Everything(), Everything(flag: false, half: -1e300, none: 7)] {
      let (own, theirs) = (try JSONCoding.encode(value), try foundation.encode(value))
      #expect(
        try JSONSerialization.jsonObject(with: Data(own)) as? NSDictionary
          == JSONSerialization.jsonObject(with: theirs) as? NSDictionary)
      #expect(own.count == theirs.count)
    }
    #expect(String(decoding: try JSONCoding.encode("a/b\u{1}"), as: UTF8.self) == #""a/b\u0001""#)
  }

  @Test func namesAreInTheOrderOfTheirBytes() throws {
    let names = ["b", "a", "B", "aa", "é", "z", "e\u{301}"]
    let json = try JSONCoding.encode(Dictionary(uniqueKeysWithValues: names.prefix(6).map { ($0, 1) }))
    #expect(String(decoding: json, as: UTF8.self) == #"{"B":1,"a":1,"aa":1,"b":1,"z":1,"é":1}"#)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func numbersWithoutAFormAreRefusedWithTheirPlace(number: Double) {
    let error = #expect(throws: EncodingError.self) { try JSONCoding.encode(["a": [1, number]]) }
    guard case .invalidValue(_, let context) = error else { return }
    #expect(context.codingPath.map(\.stringValue).last == "1" || context.codingPath.last?.intValue == 1)
  }

  @Test func aValueThatWouldBeReadAsAnotherIsRefusedWithItsPlace() {
    let value: DataValue = ["a": [1, .object(["$link": 1])]]
    let error = #expect(throws: EncodingError.self) { try JSONCoding.encode(["x": value]) }
    guard case .invalidValue(_, let context) = error else { return }
    #expect(context.codingPath.map { $0.intValue.map { "\($0)" } ?? $0.stringValue } == ["x", "a", "1"])
  }
}
