// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import TestSupport

/// A proxy that forwards every request, and loses every n-th answer of one method.
final class ForgetfulProxy: Sendable {
  /// When the client's connection is reset.
  enum Manner: Sendable {
    /// After the server has processed the request: before its answer, or in the middle of it.
    case afterwards
    /// Before the server gets it: the request arrives long after the client has looked the outcome up.
    case before(delay: TimeInterval)
  }

  let url: ServiceURL
  private let server: UInt16
  private let mark: String
  private let every: Int
  private let manner: Manner
  private let listener: LoopbackListener
  private let counts = Watched((requests: 0, lost: 0, late: 0))

  /// How many answers were lost so far.
  var lost: Int { counts.withLock { $0.lost } }

  /// Requests that reached the server long after their client was cut off.
  var late: Int { counts.withLock { $0.late } }

  /// Waits until all lost requests have reached the server.
  func untilAllArrived() async { await counts.until { $0.late == $0.lost } }

  /// - Parameter server: listens on 127.0.0.1, and closes a connection when asked to.
  init(
    before server: ServiceURL, losingEvery every: Int, of method: String, _ manner: Manner = .afterwards
  ) throws {
    let listener = try LoopbackListener(backlog: 64)
    guard let port = server.authority.split(separator: ":").last.flatMap({ UInt16($0) }) else {
      throw POSIXError(.EINVAL)
    }
    (self.listener, self.server, self.every, self.manner) = (listener, port, every, manner)
    mark = "POST /xrpc/\(method) "
    url = try ServiceURL(parsing: "http://127.0.0.1:\(listener.port)")
    Thread.detachNewThread { [listener, weak self] in
      while let client = listener.accept() {
        Thread.detachNewThread { [weak self] in
          guard let self else {
            close(client)
            return
          }
          self.serve(client)
        }
      }
    }
  }

  deinit { listener.stop() }

  private func serve(_ client: Int32) {
    guard let request = Self.request(client) else {
      close(client)
      return
    }
    let lost = loss(of: request)
    switch manner {
    case _ where lost == 0:
      Self.send(answer(to: request) ?? [], to: client)
      close(client)
    case .afterwards:
      let answer = answer(to: request) ?? []
      Self.send(answer.prefix(lost.isMultiple(of: 2) ? answer.count / 2 : 0), to: client)
      Self.reset(client)
    case .before(let delay):
      Self.reset(client)
      Thread.sleep(forTimeInterval: delay)
      _ = answer(to: request)
      counts.withLock { $0.late += 1 }
    }
  }

  /// Ends a connection with a reset.
  private static func reset(_ client: Int32) {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(client, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    close(client)
  }

  /// The number of the lost answer, from 1; 0 if it is not lost.
  private func loss(of request: [UInt8]) -> Int {
    guard request.starts(with: mark.utf8) else { return 0 }
    return counts.withLock { counts in
      counts.requests += 1
      guard counts.requests.isMultiple(of: every) else { return 0 }
      counts.lost += 1
      return counts.lost
    }
  }

  /// Reads one request, and asks for the connection to be closed after it.
  private static func request(_ client: Int32) -> [UInt8]? {
    var bytes: [UInt8] = []
    let blank = Array("\r\n\r\n".utf8)
    while bytes.firstRange(of: blank) == nil { if !receive(from: client, &bytes) { return nil } }
    guard let end = bytes.firstRange(of: blank) else { return nil }
    let field = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).lowercased()
      .split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
    let length = field.flatMap { Int($0.dropFirst(15).filter(\.isNumber)) } ?? 0
    while bytes.count < end.upperBound + length { if !receive(from: client, &bytes) { return nil } }
    bytes.insert(contentsOf: "\r\nConnection: close".utf8, at: end.lowerBound)
    return bytes
  }

  /// The complete answer of the server.
  private func answer(to request: [UInt8]) -> [UInt8]? {
    let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(connection) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = server.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let isConnected = withUnsafeBytes(of: &address) { bytes in
      guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
      return connect(connection, pointer, socklen_t(bytes.count)) == 0
    }
    guard isConnected else { return nil }
    Self.send(request[...], to: connection)
    var answer: [UInt8] = []
    while Self.receive(from: connection, &answer) {}
    return answer
  }

  private static func receive(from connection: Int32, _ bytes: inout [UInt8]) -> Bool {
    var chunk = [UInt8](repeating: 0, count: 16 << 10)
    let count = recv(connection, &chunk, chunk.count, 0)
    guard count > 0 else { return false }
    bytes += chunk[..<count]
    return true
  }

  private static func send(_ bytes: some Collection<UInt8>, to connection: Int32) {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Foundation.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
