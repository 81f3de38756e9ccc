// SPDX-License-Identifier: Apache-2.0

/// The body of a request or response of an XRPC method.
///
/// JSON bodies are `Codable` types and get a default implementation. Bodies of other types are
/// ``RawPayload``; ``NoContent`` stands for no body.
public protocol XRPCPayload: Sendable, Hashable, ConstrainedValue {
  /// The MIME type, which the lexicon calls `encoding`; nil for no body.
  static var encoding: String? { get }

  /// Decodes a body as received.
  ///
  /// - Throws: `DecodingError` with the coding path if the bytes do not fit the lexicon.
  init(payload: [UInt8]) throws

  /// Decodes a body received from a server; JSON must be within the bounds.
  ///
  /// - Throws: The same errors as ``init(payload:)``.
  init(payload: [UInt8], within bounds: JSONBounds) throws

  /// Encodes the body to be sent.
  func payload() throws -> [UInt8]
}

extension XRPCPayload {
  public init(payload: [UInt8], within bounds: JSONBounds) throws { try self.init(payload: payload) }

  public func validate() throws(ValidationError) {}
}

extension XRPCPayload where Self: Codable {
  public static var encoding: String? { "application/json" }

  public init(payload: [UInt8]) throws { try self.init(payload: payload, within: JSONBounds()) }

  public init(payload: [UInt8], within bounds: JSONBounds) throws {
    self = try JSONCoding.decode(Self.self, from: payload, within: bounds)
  }

  public func payload() throws -> [UInt8] {
    try JSONCoding.encode(self)
  }
}
