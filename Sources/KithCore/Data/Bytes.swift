// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Binary data of the lexicon type `bytes`: `{"$bytes": "…"}` in base64.
///
/// Padding is accepted but never written. Specification: <https://atproto.com/specs/data-model#bytes>.
public struct Bytes: Sendable, Hashable {
  /// The data.
  public var bytes: [UInt8]

  /// Wraps data.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }
}

extension Bytes: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: DataKey.self)
    try container.requireOnly(.bytes)
    let text = try container.decode(String.self, forKey: .bytes)
    let padding = text.hasSuffix("=") ? 0 : -text.utf8.count & 3
    guard let data = Data(base64Encoded: text + String(repeating: "=", count: padding)) else {
      throw DecodingError.dataCorruptedError(
        forKey: .bytes, in: container, debugDescription: "the text is not base64")
    }
    bytes = [UInt8](data)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: DataKey.self)
    let text = Data(bytes).base64EncodedString().prefix { $0 != "=" }
    try container.encode(String(text), forKey: .bytes)
  }
}
