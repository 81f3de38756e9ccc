// SPDX-License-Identifier: Apache-2.0

/// An object that is stored, or read and written back: the fields that its lexicon does not know survive.
///
/// Generated types conform to it; the functions are there for their coding.
public protocol LexiconObject: Codable, Sendable, Hashable {
  /// What came beside the properties of the lexicon, a `$type` in a place that needs none included.
  var unknownFields: [String: DataValue] { get set }
}

extension LexiconObject {
  /// The fields of the object being decoded that its lexicon does not name.
  ///
  /// - Parameter known: those that it names.
  public static func unknownFields(
    in decoder: any Decoder, besides known: [String]
  ) throws -> [String: DataValue] {
    try fields(of: decoder) { known.contains($0) }
  }

  /// All fields of the object being decoded, for a type that has none of its own.
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

  /// Writes ``unknownFields`` beside the fields of the lexicon.
  public func encodeUnknownFields(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: DataKey.self)
    for (name, value) in unknownFields {
      try container.encode(value, forKey: DataKey(stringValue: name))
    }
  }
}
