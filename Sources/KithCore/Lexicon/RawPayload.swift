// SPDX-License-Identifier: Apache-2.0

/// A body that is not JSON: a CAR file, an image, or anything that a lexicon declares as `*/*`.
public struct RawPayload: XRPCPayload {
  public static var encoding: String? { "*/*" }

  /// The bytes of the body.
  public var bytes: [UInt8]

  /// Wraps bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  public init(payload: [UInt8]) throws { self.bytes = payload }
  public func payload() throws -> [UInt8] { bytes }
}
