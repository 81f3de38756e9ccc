// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import Foundation

/// An HTTP server on loopback that answers each request with whatever bytes a test gives it, right or wrong,
/// and closes the connection.
final class BluntServer: Sendable {
  /// A request as it came: its head, and its body as far as `Content-Length` reaches.
  struct Request: Sendable {
    let head: String
    let body: String
  }

  let url: String
  private let listener: Int32
  private let seen = PosixMutex([Request]())

  var requests: [Request] { seen.withLock { $0 } }

  init(_ answer: @escaping @Sendable (Request) -> String) throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutableBytes(of: &address) { [listener] bytes -> Int32 in
      guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
        bind(listener, pointer, length) == 0, listen(listener, 16) == 0
      else { return -1 }
      return getsockname(listener, pointer, &length)
    }
    guard status == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
    url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
    Thread.detachNewThread { [listener, weak self] in
      while case let connection = accept(listener, nil, nil), connection >= 0 {
        if let request = Self.read(connection) {
          self?.seen.withLock { $0.append(request) }
          let bytes = Array(answer(request).utf8)
          _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }
        close(connection)
      }
      close(listener)
    }
  }

  // Wakes `accept`; the thread then closes the socket.
  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  /// A whole answer.
  static func answer(_ body: String, status: String = "200 OK", fields: String = "") -> String {
    "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\(fields)\r\n\(body)"
  }

  private static func read(_ connection: Int32) -> Request? {
    var text = ""
    while true {
      if let end = text.range(of: "\r\n\r\n") {
        let head = String(text[..<end.lowerBound])
        let field = head.lowercased().components(separatedBy: "content-length: ").dropFirst().first
        let length = field.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
        if text[end.upperBound...].utf8.count >= length {
          return Request(head: head, body: String(text[end.upperBound...]))
        }
      }
      var bytes = [UInt8](repeating: 0, count: 16 << 10)
      let count = recv(connection, &bytes, bytes.count, 0)
      guard count > 0 else { return nil }
      text += String(decoding: bytes.prefix(count), as: UTF8.self)
    }
  }
}
