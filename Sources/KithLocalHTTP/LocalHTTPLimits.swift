// SPDX-License-Identifier: Apache-2.0

/// What an ``HTTPListener`` accepts from its clients.
///
/// Any program of this machine, and any page in a browser, may connect to a local server.
package struct LocalHTTPLimits: Sendable, Hashable {
  /// The bytes of a head, which are refused with 431 beyond this. Thirty of the longest DIDs fit.
  package var headBytes = 128 << 10
  /// The fields of a head, which are refused with 431 beyond this.
  package var fields = 100
  /// The bytes of a body, which are refused with 413 beyond this.
  package var bodyBytes: Int
  /// The connections at once. For one more, the one ends that has waited for a request for longest; if all are being
  /// answered, it waits.
  package var connections = 512
  /// How long a connection may be silent between two requests.
  package var idle = Duration.seconds(300)
  /// How long a request may take from its first byte to its last.
  package var receipt = Duration.seconds(30)
  /// How long a client may take to accept a response, without the pauses of the server.
  package var delivery = Duration.seconds(60)
  /// How long a client may take to accept a frame of a WebSocket, or a piece of a body that is written piece by piece.
  package var piece = Duration.seconds(5)

  /// Whether processes of other users are refused, as far as the system says whose they are. A Unix socket has a mode for that.
  package var refusesOtherUsers = false

  /// - Parameter bodyBytes: the bytes of a body.
  package init(bodyBytes: Int = 2 << 20) { self.bodyBytes = bodyBytes }
}
