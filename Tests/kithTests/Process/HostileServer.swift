// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import Foundation
import TestSupport

/// A TCP server on loopback that does to each connection whatever a test has in mind, byte by byte and for as
/// long as the other side bears it.
final class HostileServer: Sendable {
  let url: String
  private let listener: LoopbackListener
  private let heads = PosixMutex([String]())

  /// The heads of the requests so far.
  var requests: [String] { heads.withLock { $0 } }

  /// Listens on a free port; each request is answered on a thread of its connection's own.
  init(_ answer: @escaping @Sendable (_ head: String, HostileConnection) -> Void) throws {
    let listener = try LoopbackListener(backlog: 128)
    self.listener = listener
    url = "http://127.0.0.1:\(listener.port)"
    Thread.detachNewThread { [listener, heads] in
      while let descriptor = listener.accept() {
        Thread.detachNewThread {
          let connection = HostileConnection(descriptor)
          if let head = connection.readHead() {
            heads.withLock { $0.append(head) }
            answer(head, connection)
          }
          connection.close()
        }
      }
    }
  }

  /// Answers every request with the same bytes, and ends the connection.
  convenience init(bytes: [UInt8]) throws {
    try self.init { _, connection in connection.write(bytes) }
  }

  deinit { listener.stop() }
}

/// The server's end of a connection over which one request comes.
final class HostileConnection: @unchecked Sendable {
  // Unchecked: used by the connection's own thread alone.
  private let descriptor: Int32

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Reads a request that has no body; nil when the client has gone.
  func readHead() -> String? {
    var head = ""
    while !head.hasSuffix("\r\n\r\n") {
      var bytes = [UInt8](repeating: 0, count: 16 << 10)
      let count = recv(descriptor, &bytes, bytes.count, 0)
      guard count > 0 else { return nil }
      head += String(decoding: bytes.prefix(count), as: UTF8.self)
    }
    return head
  }

  /// Writes bytes; false when the client has gone.
  @discardableResult func write(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  @discardableResult func write(_ text: String) -> Bool { write(Array(text.utf8)) }

  /// Writes a whole answer with its length.
  func answer(_ body: [UInt8], status: String = "200 OK", fields: String = "") {
    write("HTTP/1.1 \(status)\r\nContent-Length: \(body.count)\r\nConnection: close\r\n\(fields)\r\n")
    write(body)
  }

  func answer(_ body: String, status: String = "200 OK", fields: String = "") {
    answer(Array(body.utf8), status: status, fields: fields)
  }

  /// Writes the same bytes until the client has gone.
  func writeForever(_ bytes: [UInt8]) { while write(bytes) {} }

  func close() { Foundation.close(descriptor) }
}
