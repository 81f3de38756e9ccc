// SPDX-License-Identifier: Apache-2.0

extension DataValue {
  /// Converts a value of a JSON document, whose nesting the scanner has limited.
  init(json: JSONValueDecoder) throws {
    switch json.kind {
    case .null, .name: self = .null
    case .bool: self = .bool(try json.bool())
    case .integer, .otherNumber: self = .integer(try json.int64(as: Int64.self))
    case .string: self = .string(try json.string())
    case .array: self = try Self.array(json)
    case .object: self = try Self.object(json)
    }
  }

  private static func array(_ json: JSONValueDecoder) throws -> DataValue {
    let document = json.document
    var elements: [DataValue] = []
    var index = json.index + 1
    while index < document.nodes[json.index].extent {
      elements.append(try DataValue(json: JSONValueDecoder(document: document, index: index)))
      index = document.end(of: index)
    }
    return .array(elements)
  }

  private static func object(_ json: JSONValueDecoder) throws -> DataValue {
    let document = json.document
    if document.member(of: json.index, named: DataKey.link.stringValue) != nil {
      return .link(try CIDLink(from: json).cid)
    }
    if document.member(of: json.index, named: DataKey.bytes.stringValue) != nil {
      return .bytes(try Bytes(from: json).bytes)
    }
    var object = DataObject()
    for name in document.names(of: json.index) {
      object[document.text(of: name)] = try DataValue(
        json: JSONValueDecoder(document: document, index: name + 1))
    }
    if let type = object[DataKey.type.stringValue] {
      try checkType(type, in: json.container(keyedBy: DataKey.self), of: json)
    }
    return .object(object)
  }
}
