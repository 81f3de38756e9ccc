// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport

/// An HTTP server on loopback that answers each request with bytes from the test, valid or not, and closes
/// the connection.
final class BluntServer: Sendable {
  /// A request: its head, and its body up to `Content-Length`.
  struct Request: Sendable {
    let head: String
    let body: String
  }

  let url: String
  private let listener: LoopbackListener
  private let seen = PosixMutex([Request]())

  var requests: [Request] { seen.withLock { $0 } }

  init(_ answer: @escaping @Sendable (Request) -> String) throws {
    let listener = try LoopbackListener(backlog: 16)
    self.listener = listener
    url = "http://127.0.0.1:\(listener.port)"
    Thread.detachNewThread { [listener, weak self] in
      while let connection = listener.accept() {
        if let request = Self.read(connection) {
          self?.seen.withLock { $0.append(request) }
          let bytes = Array(answer(request).utf8)
          _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }
        close(connection)
      }
    }
  }

  deinit { listener.stop() }

  /// A complete response.
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
