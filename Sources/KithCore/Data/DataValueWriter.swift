// SPDX-License-Identifier: Apache-2.0

/// Writes values of the data model as JSON, with fields in the order of the bytes of their names.
struct DataValueWriter {
  /// Where the value is, for errors.
  private var path: [any CodingKey]

  init(at path: [any CodingKey]) { self.path = path }

  /// Appends a value.
  ///
  /// - Throws: `EncodingError` for a link that is not in base32, and for an object that would be read as a link or bytes.
  mutating func write(_ value: DataValue, to json: inout [UInt8]) throws {
    switch value {
    case .null: json += "null".utf8
    case .bool(let flag): json += (flag ? "true" : "false").utf8
    case .integer(let number): json += "\(number)".utf8
    case .string(let text): json.appendJSON(text: text)
    case .bytes(let bytes): try write(encoding: Bytes(bytes), to: &json)
    case .link(let cid): try write(encoding: CIDLink(cid), to: &json)
    case .array(let elements):
      try json.appendList(elements.enumerated(), in: "[]") { json, element in
        try write(element.element, at: .index(element.offset), to: &json)
      }
    case .object(let fields):
      try fields.refuseOtherKind(at: path)
      try json.appendList(fields.sortedByName, in: "{}") { json, field in
        json.appendJSON(text: field.key)
        json.append(UInt8(ascii: ":"))
        try write(field.value, at: .name(field.key), to: &json)
      }
    }
  }

  private mutating func write(_ value: DataValue, at key: JSONPathKey, to json: inout [UInt8]) throws {
    path.append(key)
    try write(value, to: &json)
    path.removeLast()
  }

  private func write(encoding value: some Encodable, to json: inout [UInt8]) throws {
    let draft = JSONDraft()
    try JSONValueEncoder(draft, at: path).encode(value)
    draft.append(to: &json)
  }
}
