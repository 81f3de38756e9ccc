// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The one place where JSON bytes become values and values become JSON bytes.
public enum JSONCoding {
  /// Reads one JSON document, strictly: what others let pass is refused where the data model does not have it.
  ///
  /// Refused are a name that occurs twice in an object, strings that are not UTF-8 or hold a bare control
  /// character, half surrogate pairs, a byte order mark, more than 128 arrays and objects within each other,
  /// more nodes and elements than the bounds allow, documents of 512 MiB, and whatever follows the document but
  /// white space. A number that is no integer of 64 bits (`5.0` is one, `5e0` is not taken for one) is refused
  /// where it is read, and passed over where nobody asks for it. Memory beside the value is at most ten times
  /// the document, and about its size for usual ones.
  ///
  /// - Throws: `DecodingError` with the coding path of the fault; where it is one of the document, its
  ///   description ends with the offset in bytes.
  public static func decode<Value: Decodable>(
    _ type: Value.Type, from bytes: [UInt8], within bounds: JSONBounds = JSONBounds()
  ) throws -> Value {
    try JSONValueDecoder(root: JSONDocument(reading: bytes, within: bounds)).value(type)
  }

  /// Writes one JSON document: keys sorted, slashes as they are, no white space.
  public static func encode(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return [UInt8](try encoder.encode(value))
  }
}
