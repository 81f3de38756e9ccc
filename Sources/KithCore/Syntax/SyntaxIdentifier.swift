// SPDX-License-Identifier: Apache-2.0

/// A text with a fixed syntax, validated once, when the value is created.
///
/// The `description` of a conforming type is the exact text that a server expects. It is encoded as a plain
/// JSON string.
public protocol SyntaxIdentifier: Sendable, Hashable, Codable, LosslessStringConvertible {
  /// Parses the whole text.
  ///
  /// - Throws: ``SyntaxError`` with the fault and its offset.
  init(parsing text: some StringProtocol) throws(SyntaxError)
}

extension SyntaxIdentifier {
  /// Parses the text; nil if it does not fit the syntax.
  public init?(_ description: String) {
    do { try self.init(parsing: description) } catch { return nil }
  }

  public init(from decoder: any Decoder) throws { try self.init(decodingText: decoder) }

  /// Parses the text that a decoder provides.
  init(decodingText decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    do {
      try self.init(parsing: text)
    } catch {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
