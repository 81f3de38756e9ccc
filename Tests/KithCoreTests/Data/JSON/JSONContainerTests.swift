// SPDX-License-Identifier: Apache-2.0

import KithCore
import Testing

/// What types with hand-written decoding may ask a container for.
@Suite struct JSONContainerTests {
  private enum Keys: String, CodingKey {
    case list, object, null, `super`, none
  }

  private struct Probe: Decodable {
    init(from decoder: any Decoder) throws { try Probe.current.body(decoder) }

    struct Body: @unchecked Sendable { let body: (any Decoder) throws -> Void }
    @TaskLocal static var current = Body { _ in }
  }

  private func probe(_ json: String, _ body: @escaping (any Decoder) throws -> Void) throws {
    _ = try Probe.$current.withValue(.init(body: body)) {
      try JSONCoding.decode(Probe.self, from: Array(json.utf8))
    }
  }

  @Test func nestsContainers() throws {
    try probe(#"{"list":[[1],{"null":null},null,2],"object":{"none":true},"super":5}"#) { decoder in
      let root = try decoder.container(keyedBy: Keys.self)
      #expect(root.allKeys == [.list, .object, .super])
      #expect(root.contains(.list) && !root.contains(.none))
      let object = try root.nestedContainer(keyedBy: Keys.self, forKey: .object)
      #expect(try object.decode(Bool.self, forKey: .none))
      #expect(object.codingPath.map(\.stringValue) == ["object"])
      #expect(try Int(from: root.superDecoder()) == 5)
      #expect(try [String: Bool](from: root.superDecoder(forKey: .object)) == ["none": true])
      #expect(throws: DecodingError.self) { try object.superDecoder() }
      #expect(throws: DecodingError.self) { try object.decodeNil(forKey: .null) }

      var list = try root.nestedUnkeyedContainer(forKey: .list)
      #expect(list.count == 4 && list.currentIndex == 0 && !list.isAtEnd)
      var inner = try list.nestedUnkeyedContainer()
      #expect(try inner.decode(Int.self) == 1)
      #expect(inner.isAtEnd && inner.codingPath.map(\.intValue) == [nil, 0])
      #expect(throws: DecodingError.self) { try inner.decode(Int.self) }
      #expect(throws: DecodingError.self) { try inner.decodeNil() }
      #expect(try list.nestedContainer(keyedBy: Keys.self).decodeNil(forKey: .null))
      #expect(list.count == 4 && list.currentIndex == 2)
      #expect(try list.decodeNil())
      #expect(try !list.decodeNil())
      // An element that could not be decoded is still there.
      #expect(throws: DecodingError.self) { try list.decode(String.self) }
      #expect(try Int(from: list.superDecoder()) == 2)
      #expect(list.isAtEnd)
    }
  }

  @Test func givesEveryScalar() throws {
    try probe(#"{"list":1,"object":"x","null":true}"#) { decoder in
      let root = try decoder.container(keyedBy: Keys.self)
      #expect(try root.decode(Int8.self, forKey: .list) == 1)
      #expect(try root.decode(Int16.self, forKey: .list) == 1)
      #expect(try root.decode(Int32.self, forKey: .list) == 1)
      #expect(try root.decode(Int64.self, forKey: .list) == 1)
      #expect(try root.decode(UInt.self, forKey: .list) == 1)
      #expect(try root.decode(UInt8.self, forKey: .list) == 1)
      #expect(try root.decode(UInt16.self, forKey: .list) == 1)
      #expect(try root.decode(UInt32.self, forKey: .list) == 1)
      #expect(try root.decode(UInt64.self, forKey: .list) == 1)
      #expect(try root.decode(Float.self, forKey: .list) == 1)
      #expect(try root.decode(Double.self, forKey: .list) == 1)
      #expect(try root.decode(String.self, forKey: .object) == "x")
      #expect(try root.decode(Bool.self, forKey: .null))
      #expect(try root.decodeIfPresent(Int16.self, forKey: .none) == nil)
      #expect(try root.decodeIfPresent(Int16.self, forKey: .list) == 1)
    }
    try probe("[1,2,3,4,5,6,7,8,9,10,11,12]") { decoder in
      var list = try decoder.unkeyedContainer()
      #expect(try list.decode(Int.self) == 1)
      #expect(try list.decode(Int8.self) == 2)
      #expect(try list.decode(Int16.self) == 3)
      #expect(try list.decode(Int32.self) == 4)
      #expect(try list.decode(Int64.self) == 5)
      #expect(try list.decode(UInt.self) == 6)
      #expect(try list.decode(UInt8.self) == 7)
      #expect(try list.decode(UInt16.self) == 8)
      #expect(try list.decode(UInt32.self) == 9)
      #expect(try list.decode(UInt64.self) == 10)
      #expect(try list.decode(Float.self) == 11)
      #expect(try list.decode(Double.self) == 12)
    }
  }
}
