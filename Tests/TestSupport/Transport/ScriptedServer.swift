// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import KithCore

/// A TCP server on loopback that handles each connection with a test's script, byte by byte.
package final class ScriptedServer: Sendable {
  /// A request as received.
  package struct Request: Sendable {
    /// The request line and field lines.
    package var head: String
    package var body: [UInt8]
    /// The number of its connection, from 0.
    package var connection: Int

    package var target: Substring { head.split(separator: " ")[1] }

    /// The field lines, in lower case.
    package var fields: [String] { head.lowercased().split(separator: "\r\n").dropFirst().map(String.init) }
  }

  package let port: UInt16
  private let listener: LoopbackListener
  private let state = PosixMutex((requests: [Request](), connections: 0))

  package var authority: String { "127.0.0.1:\(port)" }
  package var requests: [Request] { state.withLock { $0.requests } }
  package var connections: Int { state.withLock { $0.connections } }

  /// Listens on a free port; each connection gets its own thread that runs the script.
  package init(_ script: @escaping @Sendable (ScriptedConnection) -> Void) throws {
    let listener = try LoopbackListener(backlog: 128)
    self.listener = listener
    port = listener.port
    Thread.detachNewThread { [listener, weak self] in
      while let descriptor = listener.accept() {
        guard let self else {
          close(descriptor)
          break
        }
        let number = self.state.withLock { state in
          state.connections += 1
          return state.connections - 1
        }
        let connection = ScriptedConnection(descriptor, number) { [weak self] request in
          self?.state.withLock { $0.requests.append(request) }
        }
        Thread.detachNewThread {
          script(connection)
          connection.close()
        }
      }
    }
  }

  deinit { listener.stop() }

  /// Responds to every request with a status and a body, over persistent connections.
  package static func answering(
    _ answer: @escaping @Sendable (Request) -> String = { _ in "ok" }
  ) throws -> ScriptedServer {
    try ScriptedServer { connection in
      while let request = connection.readRequest() { connection.answer(answer(request)) }
    }
  }

  /// Responds to every request with the same bytes and closes the connection.
  package static func once(_ bytes: some Sequence<UInt8> & Sendable) throws -> ScriptedServer {
    try ScriptedServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.write(bytes)
    }
  }
}
