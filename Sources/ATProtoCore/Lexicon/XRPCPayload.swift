// SPDX-License-Identifier: Apache-2.0

/// A body that an XRPC method takes or gives.
///
/// JSON bodies are `Codable` types and get everything from a default implementation; bodies of other
/// types travel as ``RawPayload``, absent ones as ``NoContent``.
public protocol XRPCPayload: Sendable, Hashable, ConstrainedValue {
  /// The MIME type that the lexicon names as `encoding`, or nil for no body at all.
  static var encoding: String? { get }

  /// Reads a body as it came from the wire.
  ///
  /// - Throws: `DecodingError` with the coding path when the bytes do not fit the lexicon.
  init(payload: [UInt8]) throws

  /// Reads a body of a server, of which no more is taken than the bounds allow where it is JSON.
  ///
  /// - Throws: as ``init(payload:)``.
  init(payload: [UInt8], within bounds: JSONBounds) throws

  /// The body as it goes to the wire.
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
