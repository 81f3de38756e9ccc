// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import Foundation

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
  private let listener: Int32
  private let state = PosixMutex((requests: [Request](), connections: 0))

  var authority: String { "127.0.0.1:\(port)" }
  var requests: [Request] { state.withLock { $0.requests } }
  var connections: Int { state.withLock { $0.connections } }

  /// Listens on a free port; each connection gets a thread of its own that runs the script.
  init(_ script: @escaping @Sendable (ScriptedConnection) -> Void) throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutableBytes(of: &address) { [listener] bytes -> Int32 in
      guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
        bind(listener, pointer, length) == 0, listen(listener, 128) == 0
      else { return -1 }
      return getsockname(listener, pointer, &length)
    }
    guard listener >= 0, status == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread { [listener, weak self] in
      while true {
        let descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else { break }
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
      close(listener)
    }
  }

  deinit {
    // Wakes `accept`; the thread then closes the socket.
    shutdown(listener, Int32(SHUT_RDWR))
  }

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
