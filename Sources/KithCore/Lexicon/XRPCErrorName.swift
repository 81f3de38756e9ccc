// SPDX-License-Identifier: Apache-2.0

/// The name of an XRPC error in an error body: `ActorNotFound`.
///
/// The errors that a lexicon lists for a method are constants of the method's `ErrorName`; servers send
/// others too.
public struct XRPCErrorName: OpenEnum {
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }
}
