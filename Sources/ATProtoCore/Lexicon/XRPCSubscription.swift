// SPDX-License-Identifier: Apache-2.0

/// A stream of messages that a server offers over a WebSocket.
///
/// Specification: <https://atproto.com/specs/event-stream>.
public protocol XRPCSubscription: Sendable {
  /// The query string's fields; ``NoParameters`` where the lexicon names none.
  associatedtype Parameters: XRPCParameters = NoParameters
  /// One message of the stream.
  associatedtype Message: LexiconUnion

  /// The name under `/xrpc/` on any server that offers the stream.
  static var nsid: NSID { get }
}
