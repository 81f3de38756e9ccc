// SPDX-License-Identifier: Apache-2.0

/// A method of a lexicon: its name, its parameters and the answer it gives.
///
/// Generated types conform to ``XRPCQuery`` or ``XRPCProcedure``; a client turns them into HTTP.
/// Specification: <https://atproto.com/specs/xrpc>.
public protocol XRPCMethod: Sendable {
  /// The query string's fields; ``NoParameters`` where the lexicon names none.
  associatedtype Parameters: XRPCParameters = NoParameters
  /// The answer's body; ``NoContent`` where the lexicon names none.
  associatedtype Output: XRPCPayload = NoContent

  /// The name under `/xrpc/` on any server that offers the method.
  static var nsid: NSID { get }
  /// The MIME type of the answer's body as the lexicon has it; nil for no body.
  static var outputEncoding: String? { get }
}

extension XRPCMethod {
  public static var outputEncoding: String? { Output.encoding }
}
