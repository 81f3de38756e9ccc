// SPDX-License-Identifier: Apache-2.0

/// Writes values of the data model as JSON, with fields in the order of the bytes of their names.
struct DataValueWriter {
  private(set) var json: [UInt8] = []
  /// Where the value is, for errors.
  private var path: [any CodingKey]

  init(at path: [any CodingKey]) { self.path = path }

  /// Appends a value.
  ///
  /// - Throws: `EncodingError` for a link that is not in base32, and for an object that would be read as a link or bytes.
  mutating func write(_ value: DataValue) throws {
    switch value {
    case .null: json += "null".utf8
    case .bool(let flag): json += (flag ? "true" : "false").utf8
    case .integer(let number): json += "\(number)".utf8
    case .string(let text): json.appendJSON(text: text)
    case .bytes(let bytes): try write(encoding: Bytes(bytes))
    case .link(let cid): try write(encoding: CIDLink(cid))
    case .array(let elements): try write(elements)
    case .object(let fields):
      try fields.refuseOtherKind(at: path)
      try write(fields)
    }
  }

  private mutating func write(_ elements: [DataValue]) throws {
    json.append(UInt8(ascii: "["))
    for (place, element) in elements.enumerated() {
      if place > 0 { json.append(UInt8(ascii: ",")) }
      path.append(JSONPathKey.index(place))
      try write(element)
      path.removeLast()
    }
    json.append(UInt8(ascii: "]"))
  }

  private mutating func write(_ fields: DataObject) throws {
    json.append(UInt8(ascii: "{"))
    for (place, field) in fields.sortedByName.enumerated() {
      if place > 0 { json.append(UInt8(ascii: ",")) }
      json.appendJSON(text: field.key)
      json.append(UInt8(ascii: ":"))
      path.append(JSONPathKey.name(field.key))
      try write(field.value)
      path.removeLast()
    }
    json.append(UInt8(ascii: "}"))
  }

  private mutating func write(encoding value: some Encodable) throws {
    let draft = JSONDraft()
    try JSONValueEncoder(draft, at: path).encode(value)
    draft.append(to: &json)
  }
}
