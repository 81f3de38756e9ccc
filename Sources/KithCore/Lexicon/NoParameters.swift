// SPDX-License-Identifier: Apache-2.0

/// The parameters of a method without any.
public struct NoParameters: XRPCParameters {
  /// The only value.
  public init() {}

  public init(reading query: XRPCQueryReader) {}

  public var queryItems: [XRPCQueryItem] { [] }
}
