// SPDX-License-Identifier: Apache-2.0

public import KithClient
public import KithCore

extension WebSocketAnswer {
  /// Opens a WebSocket in the process, whose server is a function.
  ///
  /// ```swift
  /// import KithTestSupport
  ///
  /// let transport = ScriptedTransport(webSockets: { _, limits in
  ///   .scripted(limits: limits) { server in
  ///     try await server.send(.text(#"{"kind": "commit"}"#))
  ///     await server.close(.goingAway, "restart")
  ///   }
  /// }) { _ in .json("{}") }
  /// show(transport.capabilities)
  /// ```
  ///
  /// - Parameters:
  ///   - subprotocol: the one that the server has chosen.
  ///   - limits: the bounds of the client's side.
  ///   - server: has the other side of the connection. The connection is closed normally when it returns, and dropped without
  ///     a close frame if it throws.
  public static func scripted(
    subprotocol: String? = nil, limits: WebSocketLimits = WebSocketLimits(),
    _ server: @escaping @Sendable (any WebSocketConnection) async throws -> Void
  ) -> WebSocketAnswer {
    let (near, far) = PipeEnd.pair()
    Task {
      let connection = FramedWebSocket(far, .server)
      do {
        try await server(connection)
        await connection.close()
      } catch {
        far.close()
      }
    }
    return .opened(FramedWebSocket(near, .client, limits: limits), subprotocol: subprotocol)
  }
}
