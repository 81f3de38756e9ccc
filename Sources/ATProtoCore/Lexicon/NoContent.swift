// SPDX-License-Identifier: Apache-2.0

/// The body of a method that has none. Whatever a server sends in its place is ignored.
public struct NoContent: XRPCPayload {
  public static var encoding: String? { nil }

  /// The only value.
  public init() {}

  public init(payload: [UInt8]) throws {}
  public func payload() throws -> [UInt8] { [] }
}
