// SPDX-License-Identifier: Apache-2.0

extension DataValue: Codable {
  /// How deep values may nest, counted from the root of the document: far more than any record needs,
  /// and little enough that hostile input does not exhaust the stack.
  static let mostNesting = 128

  /// Reads a value; `{"$link": …}` and `{"$bytes": …}` become links and binary data.
  ///
  /// - Throws: `DecodingError` with the coding path of what the data model does not have: a number that
  ///   is no integer of 64 bits, fields beside `$link` and `$bytes`, a `$type` that is no text or empty,
  ///   an object of `$type` `blob` that is none, nesting beyond 128.
  public init(from decoder: any Decoder) throws {
    if let json = JSONValueDecoder(decoder) {
      try self.init(json: json)
      return
    }
    // Other decoders do not say what comes next, so each kind is tried, the frequent ones first. Only opening
    // is tried: faults within an object or array are faults.
    let scalar = try decoder.singleValueContainer()
    if scalar.decodeNil() {
      self = .null
    } else if let value = try? scalar.decode(String.self) {
      self = .string(value)
    } else if let fields = try? decoder.container(keyedBy: DataKey.self) {
      try Self.checkNesting(of: decoder)
      self = try Self.object(from: decoder, fields)
    } else if let value = try? scalar.decode(Int64.self) {
      self = .integer(value)
    } else if var elements = try? decoder.unkeyedContainer() {
      try Self.checkNesting(of: decoder)
      var array: [DataValue] = []
      while !elements.isAtEnd { array.append(try elements.decode(DataValue.self)) }
      self = .array(array)
    } else if let value = try? scalar.decode(Bool.self) {
      self = .bool(value)
    } else {
      throw DecodingError.dataCorruptedError(
        in: scalar, debugDescription: "a number is an integer of 64 bits")
    }
  }

  private static func checkNesting(of decoder: any Decoder) throws {
    let path = decoder.codingPath
    guard path.count <= mostNesting else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: path, debugDescription: "nested deeper than \(mostNesting)"))
    }
  }

  private static func object(
    from decoder: any Decoder, _ fields: KeyedDecodingContainer<DataKey>
  ) throws -> DataValue {
    let keys = fields.allKeys
    if keys.contains(where: { $0.stringValue == DataKey.link.stringValue }) {
      return .link(try CIDLink(from: decoder).cid)
    }
    if keys.contains(where: { $0.stringValue == DataKey.bytes.stringValue }) {
      return .bytes(try Bytes(from: decoder).bytes)
    }
    var object: [String: DataValue] = [:]
    object.reserveCapacity(keys.count)
    for key in keys { object[key.stringValue] = try fields.decode(DataValue.self, forKey: key) }
    if let type = object[DataKey.type.stringValue] { try checkType(type, in: fields, of: decoder) }
    return .object(object)
  }

  /// Refuses a `$type` that is none, and an object that says it is a blob and is not.
  static func checkType(
    _ type: DataValue, in fields: KeyedDecodingContainer<DataKey>, of decoder: any Decoder
  ) throws {
    guard let name = type.string, !name.isEmpty else {
      throw DecodingError.dataCorruptedError(
        forKey: .type, in: fields, debugDescription: "$type is a text that is not empty")
    }
    if name == Blob.typeName { _ = try Blob(from: decoder) }
  }

  /// Writes the value; links and binary data as `{"$link": …}` and `{"$bytes": …}`.
  ///
  /// - Throws: `EncodingError` for a link that is not in base32, and for an object with one of those keys.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .link(let cid): try CIDLink(cid).encode(to: encoder)
    case .bytes(let bytes): try Bytes(bytes).encode(to: encoder)
    case .object(let fields):
      for key in [DataKey.link, .bytes] where fields[key.stringValue] != nil {
        throw EncodingError.invalidValue(
          self,
          .init(
            codingPath: encoder.codingPath,
            debugDescription: "an object with \(key.stringValue) would be read as something else"))
      }
      var container = encoder.container(keyedBy: DataKey.self)
      for (key, value) in fields { try container.encode(value, forKey: DataKey(stringValue: key)) }
    case .array(let elements):
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(element) }
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .bool(let value): try value.encode(to: encoder)
    case .integer(let value): try value.encode(to: encoder)
    case .string(let value): try value.encode(to: encoder)
    }
  }
}

extension DataValue {
  /// Takes any value as what its JSON says.
  ///
  /// - Throws: `EncodingError`, or `DecodingError` for what the data model does not have.
  public init(encoding value: some Encodable) throws {
    self = try JSONCoding.decode(Self.self, from: JSONCoding.encode(value))
  }

  /// Reads the value as another type.
  ///
  /// - Throws: `DecodingError` with the path, from this value, of what does not fit.
  public func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try JSONCoding.decode(type, from: JSONCoding.encode(self))
  }

  /// Reads the JSON of a record, which is an object.
  ///
  /// - Throws: `DecodingError` with the coding path of the fault.
  public static func record(json: [UInt8]) throws -> DataValue {
    let value = try JSONCoding.decode(Self.self, from: json)
    guard case .object = value else {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "a record is an object"))
    }
    return value
  }
}
