// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A client that sends and receives bytes, on threads of its own.
struct TestClient: Sendable {
  private let socket: Int32

  init(port: UInt16) throws {
    socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let fault = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, size) }
    }
    guard fault == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .ECONNREFUSED) }
  }

  func write(_ text: String) { write(Array(text.utf8)) }

  func write(_ bytes: [UInt8]) { _ = send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

  /// Returns what comes next; nil at the end of the connection.
  func readSome() async -> [UInt8]? {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { [socket] in
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(socket, &buffer, buffer.count, 0)
        continuation.resume(returning: count > 0 ? Array(buffer[..<count]) : nil)
      }
    }
  }

  /// Returns what comes up to the end of the connection.
  func readBytes() async -> [UInt8] {
    var bytes: [UInt8] = []
    while let some = await readSome() { bytes += some }
    return bytes
  }

  func shutDown() { _ = shutdown(socket, Int32(SHUT_RDWR)) }

  /// Returns what has come, up to a text or the end of the connection.
  func read(until end: String? = nil) async -> String {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { [socket] in
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while end.map({ !text.hasSuffix($0) }) ?? true {
          let count = recv(socket, &buffer, buffer.count, 0)
          guard count > 0 else { break }
          text += String(decoding: buffer[..<count], as: UTF8.self)
        }
        continuation.resume(returning: text)
      }
    }
  }

  func close() { _ = Foundation.close(socket) }
}
