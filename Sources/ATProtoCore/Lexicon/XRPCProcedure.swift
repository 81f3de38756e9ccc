// SPDX-License-Identifier: Apache-2.0

/// A method that may change something: sent as POST, repeated only when its caller says so.
public protocol XRPCProcedure: XRPCMethod {
  /// The request's body; ``NoContent`` where the lexicon names none.
  associatedtype Input: XRPCPayload = NoContent

  /// The MIME type of the request's body as the lexicon has it; nil for no body.
  static var inputEncoding: String? { get }
}

extension XRPCProcedure {
  public static var inputEncoding: String? { Input.encoding }
}
