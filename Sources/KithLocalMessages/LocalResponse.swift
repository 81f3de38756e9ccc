// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// A response before it is encoded.
package struct LocalResponse: Sendable, Hashable {
  /// Writes a piece of a body, and waits until the client has taken it. It throws if the client is gone or too slow.
  package typealias Write = @Sendable (_ piece: [UInt8]) async throws -> Void

  /// How a response is delivered; all kinds except `whole`, `streamed` and `dribbled` end the connection. A server that
  /// imitates faults uses those below `webSocket`.
  package enum Delivery: Sendable, Hashable {
    case whole
    /// The handler writes the body, whose length is not known before; ``LocalResponse/body`` is not used. If it throws, the
    /// body is cut off.
    case streamed(LocalHandler<Write>)
    /// The connection becomes a WebSocket. It is closed normally when the handler returns, and dropped without a close frame
    /// if it throws. Without a handler, the server never says anything, and does not answer pings either.
    case webSocket(LocalHandler<any WebSocketConnection>?, subprotocol: String?)
    /// In pieces with pauses.
    case dribbled(pieces: Int, pause: Duration)
    /// Half of the declared body, or half of the head without a body.
    case truncated
    /// Nothing or half, and then a reset.
    case reset(afterHalf: Bool)
    /// Nothing or the head, and then silence.
    case stalled(afterHead: Bool)
    /// Only the body, without HTTP.
    case raw
  }

  package var status: Int
  /// The content type; nil without a body.
  package var contentType: String?
  package var body: [UInt8]
  /// Additional fields; those for the type and the length of the body are added.
  package var fields: [HeaderField] = []
  package var delivery = Delivery.whole

  package init(
    status: Int = 200, contentType: String? = "application/json; charset=utf-8", body: [UInt8]
  ) {
    self.status = status
    self.contentType = contentType
    self.body = body
  }

  /// A response whose body is written piece by piece.
  package static func streamed(
    contentType: String, _ write: @escaping @Sendable (Write) async throws -> Void
  ) -> LocalResponse {
    var response = LocalResponse(contentType: contentType, body: [])
    response.delivery = .streamed(LocalHandler(write))
    return response
  }

  /// The answer to a request for a WebSocket. The listener answers otherwise if the request is not one.
  ///
  /// - Parameters:
  ///   - subprotocol: one of ``LocalRequest/subprotocols``.
  ///   - handler: nil for a server that says nothing.
  package static func webSocket(
    subprotocol: String? = nil, _ handler: (@Sendable (any WebSocketConnection) async throws -> Void)?
  ) -> LocalResponse {
    var response = LocalResponse(status: 101, contentType: nil, body: [])
    response.delivery = .webSocket(handler.map { LocalHandler($0) }, subprotocol: subprotocol)
    return response
  }
}
