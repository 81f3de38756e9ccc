// SPDX-License-Identifier: Apache-2.0

/// The body of a method that has none.
public struct NoContent: XRPCPayload {
  public static var encoding: String? { nil }

  /// The only value.
  public init() {}

  public init(payload: [UInt8]) throws { try self.init(payload: payload, within: JSONBounds()) }

  /// Reads what a server sends in its place: nothing, or JSON, which is ignored.
  ///
  /// - Throws: `DecodingError` for anything else. The web page of a portal comes with status 200, too, and whoever
  ///   took it for the service's answer would take a change for made.
  public init(payload: [UInt8], within bounds: JSONBounds) throws {
    if !payload.isEmpty { _ = try JSONDocument(reading: payload, within: bounds) }
  }

  public func payload() throws -> [UInt8] { [] }
}
