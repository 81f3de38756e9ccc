// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The server's side of one connection; its calls block the thread of the script.
package final class ScriptedConnection: @unchecked Sendable {
  // Unchecked: passed from the accepting thread to the script's, and only used there.
  /// The number of the connection at its server, from 0.
  package let number: Int
  private let descriptor: Int32
  private let record: (ScriptedServer.Request) -> Void
  private var buffer: [UInt8] = []
  private var isOpen = true

  init(_ descriptor: Int32, _ number: Int, _ record: @escaping (ScriptedServer.Request) -> Void) {
    self.descriptor = descriptor
    self.number = number
    self.record = record
    var yes: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Reads one request with its body; nil if the client has closed the connection.
  package func readRequest() -> ScriptedServer.Request? {
    let end = Array("\r\n\r\n".utf8)
    while buffer.firstRange(of: end) == nil { if !fill() { return nil } }
    guard let range = buffer.firstRange(of: end) else { return nil }
    let head = String(decoding: buffer[..<range.lowerBound], as: UTF8.self)
    buffer.removeSubrange(..<range.upperBound)
    let length =
      head.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
      .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
    while buffer.count < length { if !fill() { return nil } }
    let request = ScriptedServer.Request(
      head: head, body: Array(buffer[..<length]), connection: number)
    buffer.removeSubrange(..<length)
    record(request)
    return request
  }

  /// Writes bytes; false if the client has closed the connection.
  @discardableResult package func write(_ bytes: some Sequence<UInt8>) -> Bool {
    let bytes = Array(bytes)
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

  /// Writes a text; false if the client has closed the connection.
  @discardableResult package func write(_ text: String) -> Bool { write(text.utf8) }

  /// Writes as many bytes as the system accepts without waiting; 0 if the client does not keep up.
  package func writeWhatFits(_ bytes: [UInt8]) -> Int {
    bytes.withUnsafeBytes {
      max(0, send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)))
    }
  }

  /// Writes a complete response with its length.
  package func answer(_ body: String, status: String = "200 OK", fields: String = "") {
    write("HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)")
  }

  /// Waits until the client has sent anything.
  package func waitForBytes() { _ = fill() }

  /// Waits until the client closes its side, ignoring what it still sends.
  package func waitForClose() { while fill() {} }

  /// Breaks the connection with a reset instead of a regular close.
  package func reset() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    close()
  }

  /// Closes the connection.
  package func close() {
    if isOpen { Foundation.close(descriptor) }
    isOpen = false
  }

  private func fill() -> Bool {
    guard isOpen else { return false }
    var chunk = [UInt8](repeating: 0, count: 16 << 10)
    let count = recv(descriptor, &chunk, chunk.count, 0)
    guard count > 0 else { return false }
    buffer += chunk[..<count]
    return true
  }
}
