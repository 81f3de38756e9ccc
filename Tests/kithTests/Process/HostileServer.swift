// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport

/// A TCP server on loopback with full control over each connection, byte by byte, until the client closes it.
final class HostileServer: Sendable {
  let url: String
  private let listener: LoopbackListener
  private let heads = PosixMutex([String]())

  /// The heads of the requests so far.
  var requests: [String] { heads.withLock { $0 } }

  /// Listens on a free port; each connection has its own thread. A request body arrives with its head.
  init(_ answer: @escaping @Sendable (_ head: String, HostileConnection) -> Void) throws {
    let listener = try LoopbackListener(backlog: 128)
    self.listener = listener
    url = "http://127.0.0.1:\(listener.port)"
    Thread.detachNewThread { [listener, heads] in
      while let descriptor = listener.accept() {
        Thread.detachNewThread {
          let connection = HostileConnection(descriptor)
          if let head = connection.readRequest() {
            heads.withLock { $0.append(head) }
            answer(head, connection)
          }
          connection.close()
        }
      }
    }
  }

  /// Answers every request with the same bytes and closes the connection.
  convenience init(bytes: [UInt8]) throws {
    try self.init { _, connection in connection.write(bytes) }
  }

  deinit { listener.stop() }
}

/// The server's end of a connection with one request.
final class HostileConnection: @unchecked Sendable {
  // Unchecked: used only by the thread of the connection.
  private let descriptor: Int32

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Reads a request with its body; nil if the client has disconnected.
  func readRequest() -> String? {
    var request: [UInt8] = []
    while true {
      guard let piece = read() else { return nil }
      request += piece
      guard let end = request.firstRange(of: Array("\r\n\r\n".utf8)) else { continue }
      let head = String(decoding: request[..<end.lowerBound], as: UTF8.self)
      let length = head.firstMatch(of: /(?i)\r\ncontent-length: (\d+)/).flatMap { Int($0.1) } ?? 0
      if request.count >= end.upperBound + length { return String(decoding: request, as: UTF8.self) }
    }
  }

  /// Reads available data, waiting for some; nil at the end.
  private func read() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    return count > 0 ? Array(bytes.prefix(count)) : nil
  }

  /// Connects to a port of this machine.
  init?(port: UInt16) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    address.sin_port = port.bigEndian
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeBytes(of: &address) { bytes in
      bytes.baseAddress.map { connect(descriptor, $0.assumingMemoryBound(to: sockaddr.self), length) } ?? -1
    }
    guard status == 0 else {
      close()
      return nil
    }
  }

  /// Reads to the end.
  func readAll() -> [UInt8] {
    var all: [UInt8] = []
    while let piece = read() { all += piece }
    return all
  }

  /// Writes bytes; false if the client has disconnected.
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

  /// Writes a complete response with its length.
  func answer(_ body: [UInt8], status: String = "200 OK", fields: String = "") {
    write("HTTP/1.1 \(status)\r\nContent-Length: \(body.count)\r\nConnection: close\r\n\(fields)\r\n")
    write(body)
  }

  func answer(_ body: String, status: String = "200 OK", fields: String = "") {
    answer(Array(body.utf8), status: status, fields: fields)
  }

  /// Writes the same bytes until the client disconnects.
  func writeForever(_ bytes: [UInt8]) { while write(bytes) {} }

  func close() { Foundation.close(descriptor) }
}
