// SPDX-License-Identifier: Apache-2.0

extension DataValue: Codable {
  /// The maximum nesting depth, counted from the root of the document: far more than any record needs, but
  /// small enough that hostile input does not exhaust the stack.
  static let mostNesting = 128

  /// Decodes a value; `{"$link": …}` and `{"$bytes": …}` become links and binary data.
  ///
  /// - Throws: `DecodingError` with the coding path of anything outside the data model: a number that is not
  ///   a 64-bit integer, fields beside `$link` or `$bytes`, a `$type` that is empty or not a string, an
  ///   invalid object of `$type` `blob`, nesting deeper than 128.
  public init(from decoder: any Decoder) throws {
    if let json = JSONValueDecoder(decoder) {
      try self.init(json: json)
      return
    }
    // Other decoders do not expose the kind of the next value, so each kind is tried, frequent ones first.
    // Only opening a container is tried; errors inside an object or array are thrown.
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
        in: scalar, debugDescription: "a number must be a 64-bit integer")
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
    var object = DataObject()
    object.reserveCapacity(keys.count)
    for key in keys { object[key.stringValue] = try fields.decode(DataValue.self, forKey: key) }
    if let type = object[DataKey.type.stringValue] { try checkType(type, in: fields, of: decoder) }
    return .object(object)
  }

  /// Rejects an invalid `$type`, and an object whose `$type` is `blob` but which is not a blob.
  static func checkType(
    _ type: DataValue, in fields: KeyedDecodingContainer<DataKey>, of decoder: any Decoder
  ) throws {
    guard let name = type.string, !name.isEmpty else {
      throw DecodingError.dataCorruptedError(
        forKey: .type, in: fields, debugDescription: "$type must be a non-empty string")
    }
    if name == Blob.typeName { _ = try Blob(from: decoder) }
  }

  /// Encodes the value; links and binary data become `{"$link": …}` and `{"$bytes": …}`.
  ///
  /// - Throws: `EncodingError` for a link that is not in base32, and for an object with one of those keys.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .link(let cid): try CIDLink(cid).encode(to: encoder)
    case .bytes(let bytes): try Bytes(bytes).encode(to: encoder)
    case .object(let fields):
      try fields.refuseOtherKind(at: encoder.codingPath)
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

extension DataObject {
  /// Throws for an object that would be decoded as a link or as binary data.
  func refuseOtherKind(at path: [any CodingKey]) throws {
    for key in [DataKey.link, .bytes] where self[key.stringValue] != nil {
      throw EncodingError.invalidValue(
        DataValue.object(self),
        .init(
          codingPath: path,
          debugDescription: "an object with \(key.stringValue) would be decoded as another type"))
    }
  }
}

extension DataValue {
  /// Converts any encodable value through its JSON form.
  ///
  /// - Throws: `EncodingError`; `DecodingError` for values outside the data model.
  public init(encoding value: some Encodable) throws {
    self = try JSONCoding.decode(Self.self, from: JSONCoding.encode(value))
  }

  /// Decodes the value as another type.
  ///
  /// - Parameter isStrict: whether an optional field that the type defines otherwise is a fault; by default it is kept among
  ///   the unknown fields of the object.
  /// - Throws: `DecodingError` with the path of the fault, relative to this value.
  public func decode<Value: Decodable>(_ type: Value.Type, strictly isStrict: Bool = false) throws -> Value {
    try JSONCoding.decode(type, from: JSONCoding.encode(self), strictly: isStrict)
  }

  /// Decodes the JSON of a record, which must be an object.
  ///
  /// - Throws: `DecodingError` with the coding path of the fault.
  public static func record(json: [UInt8]) throws -> DataValue {
    let value = try JSONCoding.decode(Self.self, from: json)
    guard case .object = value else {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "a record must be an object"))
    }
    return value
  }
}
