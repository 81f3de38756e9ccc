// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import Foundation
import TestSupport

@testable import CurlTransport

/// A TCP server on loopback that does to each connection what a test scripts, byte by byte.
final class ScriptedServer: Sendable {
  /// A request as it came over the wire.
  struct Request: Sendable {
    /// Request line and field lines.
    var head: String
    var body: [UInt8]
    /// Which connection it came over, from 0.
    var connection: Int

    var target: Substring { head.split(separator: " ")[1] }

    /// The field lines, in lower case.
    var fields: [String] { head.lowercased().split(separator: "\r\n").dropFirst().map(String.init) }
  }

  let port: UInt16
  private let listener: LoopbackListener
  private let state = PosixMutex((requests: [Request](), connections: 0))

  var authority: String { "127.0.0.1:\(port)" }
  var requests: [Request] { state.withLock { $0.requests } }
  var connections: Int { state.withLock { $0.connections } }

  /// Listens on a free port; each connection gets a thread of its own that runs the script.
  init(_ script: @escaping @Sendable (ScriptedConnection) -> Void) throws {
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

  /// Answers every request with a status and a body, over connections that stay open.
  static func answering(
    _ answer: @escaping @Sendable (Request) -> String = { _ in "ok" }
  ) throws -> ScriptedServer {
    try ScriptedServer { connection in
      while let request = connection.readRequest() { connection.answer(answer(request)) }
    }
  }

  /// Answers every request with the same bytes and closes the connection.
  static func once(_ bytes: some Sequence<UInt8> & Sendable) throws -> ScriptedServer {
    try ScriptedServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.write(bytes)
    }
  }
}
