// SPDX-License-Identifier: Apache-2.0

/// A text of a fixed syntax, validated once, when it is made.
///
/// Conforming types spell themselves exactly: `description` is the text that a server expects, and they
/// are encoded as a plain JSON string.
public protocol SyntaxIdentifier: Sendable, Hashable, Codable, LosslessStringConvertible {
  /// Reads the text, all of it.
  ///
  /// - Throws: ``SyntaxError`` that names the fault and its offset.
  init(parsing text: some StringProtocol) throws(SyntaxError)
}

extension SyntaxIdentifier {
  /// Reads the text, or nil where it does not fit the syntax.
  public init?(_ description: String) {
    do { try self.init(parsing: description) } catch { return nil }
  }

  public init(from decoder: any Decoder) throws { try self.init(decodingText: decoder) }

  /// Reads the text that a decoder gives.
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
