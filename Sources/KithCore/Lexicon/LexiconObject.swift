// SPDX-License-Identifier: Apache-2.0

/// An object that is stored, or decoded and encoded again: fields that its lexicon does not define are kept.
///
/// Generated types conform to it; its functions are for their coding.
public protocol LexiconObject: Codable, Sendable, Hashable {
  /// The fields that the lexicon does not define, including a `$type` that is not required; and optional ones that it defines
  /// otherwise, if they are of the data model. A field of the type has precedence when it is encoded.
  var unknownFields: DataObject { get set }
}

extension LexiconObject {
  /// Returns the fields of the object being decoded that its lexicon does not define.
  ///
  /// - Parameter known: The names of the fields that it defines.
  public static func unknownFields(
    in decoder: any Decoder, besides known: [String]
  ) throws -> DataObject {
    try fields(of: decoder) { name in known.contains { $0.hasSameBytes(as: name) } }
  }

  /// Returns the fields of the object being decoded that its lexicon does not define, and those that it defines otherwise.
  ///
  /// - Parameters:
  ///   - known: The names of the fields that it defines.
  ///   - unread: Those that could not be read.
  /// - Throws: the fault of an unread field if the document is read strictly.
  public static func unknownFields(
    in decoder: any Decoder, besides known: [String], unread: UnreadFields
  ) throws -> DataObject {
    try fields(of: decoder, unread: unread) { name in known.contains { $0.hasSameBytes(as: name) } }
  }

  /// Returns all fields of the object being decoded, for a type without fields of its own.
  public static func unknownFields(in decoder: any Decoder) throws -> DataObject {
    try fields(of: decoder) { _ in false }
  }

  static func fields(
    of decoder: any Decoder, unread: UnreadFields = UnreadFields(), unless isKnown: (String) -> Bool
  ) throws -> DataObject {
    try unread.check(decoder)
    let container = try decoder.container(keyedBy: DataKey.self)
    var fields = DataObject()
    for key in container.allKeys where !isKnown(key.stringValue) || unread.contains(key.stringValue) {
      // What another app has added does not make the rest unreadable.
      fields[key.stringValue] = try? container.decode(DataValue.self, forKey: key)
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

extension LexiconObject {
  /// Whether none of some optional fields has a value that could not be read: for records where their absence means something.
  package func hasOnlyReadable(_ names: String...) -> Bool { names.allSatisfy { unknownFields[$0] == nil } }
}
