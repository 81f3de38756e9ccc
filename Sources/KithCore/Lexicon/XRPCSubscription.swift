// SPDX-License-Identifier: Apache-2.0

/// A message stream that a server offers over a WebSocket.
///
/// Specification: <https://atproto.com/specs/event-stream>.
public protocol XRPCSubscription: Sendable {
  /// The parameters in the query string; ``NoParameters`` if the lexicon has none.
  associatedtype Parameters: XRPCParameters = NoParameters
  /// A message of the stream.
  associatedtype Message: LexiconUnion

  /// The name in the path `/xrpc/NSID` on any server that offers the stream.
  static var nsid: NSID { get }
}
