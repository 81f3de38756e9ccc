// SPDX-License-Identifier: Apache-2.0

/// The body of a method that has none.
public struct NoContent: XRPCPayload {
  public static var encoding: String? { nil }

  /// The only value.
  public init() {}

  /// Reads what a server sends in its place: nothing, or JSON, which is ignored.
  ///
  /// - Throws: `DecodingError` for anything else. The web page of a portal comes with status 200, too, and whoever
  ///   took it for the service's answer would take a change for made.
  public init(payload: [UInt8]) throws {
    if !payload.isEmpty { _ = try JSONCoding.decode(DataValue.self, from: payload) }
  }
  public func payload() throws -> [UInt8] { [] }
}
