// SPDX-License-Identifier: Apache-2.0

/// An object that is stored, or decoded and encoded again: fields that its lexicon does not define are kept.
///
/// Generated types conform to it; its functions are for their coding.
public protocol LexiconObject: Codable, Sendable, Hashable {
  /// The fields that the lexicon does not define, including a `$type` that is not required.
  var unknownFields: [String: DataValue] { get set }
}

extension LexiconObject {
  /// Returns the fields of the object being decoded that its lexicon does not define.
  ///
  /// - Parameter known: The names of the fields that it defines.
  public static func unknownFields(
    in decoder: any Decoder, besides known: [String]
  ) throws -> [String: DataValue] {
    try fields(of: decoder) { known.contains($0) }
  }

  /// Returns all fields of the object being decoded, for a type without fields of its own.
  public static func unknownFields(in decoder: any Decoder) throws -> [String: DataValue] {
    try fields(of: decoder) { _ in false }
  }

  static func fields(
    of decoder: any Decoder, unless isKnown: (String) -> Bool
  ) throws -> [String: DataValue] {
    let container = try decoder.container(keyedBy: DataKey.self)
    var fields: [String: DataValue] = [:]
    for key in container.allKeys where !isKnown(key.stringValue) {
      fields[key.stringValue] = try container.decode(DataValue.self, forKey: key)
    }
    return fields
  }

  /// Encodes ``unknownFields`` beside the fields of the lexicon.
  public func encodeUnknownFields(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: DataKey.self)
    for (name, value) in unknownFields {
      try container.encode(value, forKey: DataKey(stringValue: name))
    }
  }
}
