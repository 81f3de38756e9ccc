// SPDX-License-Identifier: Apache-2.0

/// A method that may change something: sent as POST, retried only if its caller allows it.
public protocol XRPCProcedure: XRPCMethod {
  /// The body of the request; ``NoContent`` if the lexicon has none.
  associatedtype Input: XRPCPayload = NoContent

  /// The MIME type of the request body in the lexicon; nil for no body.
  static var inputEncoding: String? { get }
}

extension XRPCProcedure {
  public static var inputEncoding: String? { Input.encoding }
}
