// SPDX-License-Identifier: Apache-2.0

/// Any JSON, decoded only through the API of `Decodable`: used to compare two decoders.
indirect enum JSONTree: Decodable, Hashable {
  case null
  case bool(Bool)
  case integer(Int64)
  case string(String)
  case array([JSONTree])
  case object([String: JSONTree])

  private struct Key: CodingKey {
    let stringValue: String
    init(stringValue: String) { self.stringValue = stringValue }
    var intValue: Int? { nil }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let text = try? value.decode(String.self) {
      self = .string(text)
    } else if let bool = try? value.decode(Bool.self) {
      self = .bool(bool)
    } else if var elements = try? decoder.unkeyedContainer() {
      var array: [JSONTree] = []
      while !elements.isAtEnd { array.append(try elements.decode(JSONTree.self)) }
      self = .array(array)
    } else if let members = try? decoder.container(keyedBy: Key.self) {
      var object: [String: JSONTree] = [:]
      for key in members.allKeys { object[key.stringValue] = try members.decode(JSONTree.self, forKey: key) }
      self = .object(object)
    } else {
      self = .integer(try value.decode(Int64.self))
    }
  }
}
