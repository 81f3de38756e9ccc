// SPDX-License-Identifier: Apache-2.0

/// The body of a method without one.
public struct NoContent: XRPCPayload {
  public static var encoding: String? { nil }

  /// The only value.
  public init() {}

  public init(payload: [UInt8]) throws { try self.init(payload: payload, within: JSONBounds()) }

  /// Accepts an empty body or JSON, which is ignored.
  ///
  /// - Throws: `DecodingError` for anything else. A captive portal also answers with status 200; accepting
  ///   its web page would report a change that was not made.
  public init(payload: [UInt8], within bounds: JSONBounds) throws {
    if !payload.isEmpty { _ = try JSONDocument(reading: payload, within: bounds) }
  }

  public func payload() throws -> [UInt8] { [] }
}
