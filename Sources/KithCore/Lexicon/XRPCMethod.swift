// SPDX-License-Identifier: Apache-2.0

/// A method of a lexicon: its name, its parameters and its output.
///
/// Generated types conform to ``XRPCQuery`` or ``XRPCProcedure``; a client turns them into HTTP requests.
/// Specification: <https://atproto.com/specs/xrpc>.
public protocol XRPCMethod: Sendable {
  /// The parameters in the query string; ``NoParameters`` if the lexicon has none.
  associatedtype Parameters: XRPCParameters = NoParameters
  /// The body of the response; ``NoContent`` if the lexicon has none.
  associatedtype Output: XRPCPayload = NoContent

  /// The name in the path `/xrpc/NSID` on any server that offers the method.
  static var nsid: NSID { get }
  /// The MIME type of the response body in the lexicon; nil for no body.
  static var outputEncoding: String? { get }
  /// The maximum size of a response; by default ``AnswerBounds/unlisted``.
  static var answerBounds: AnswerBounds { get }
}

extension XRPCMethod {
  public static var outputEncoding: String? { Output.encoding }
  public static var answerBounds: AnswerBounds { .unlisted }
}
