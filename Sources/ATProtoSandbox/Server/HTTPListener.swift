// SPDX-License-Identifier: Apache-2.0

internal import FlyingSocks

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A port of 127.0.0.1 and the connections to it: HTTP/1.1 with connections kept alive.
///
/// Over FlyingSocks, the socket layer of FlyingFox, and not over its `HTTPServer`: that one reads a request byte
/// by byte through an asynchronous sequence, and takes 1.5 ms (24 ms unoptimised) for the 1.2 KB of a question
/// about 30 targets, which is longer than everything else about an answer. It also needs all of Foundation,
/// ICU included, where the rest of Kith does with FoundationEssentials.
struct HTTPListener: Sendable {
  /// Where it listens: what was asked for, or what the system chose for 0.
  let port: UInt16
  private let socket: AsyncSocket

  /// Listens, without answering yet.
  ///
  /// - Throws: ``SandboxError`` when the port is taken or not allowed.
  init(port: UInt16) throws(SandboxError) {
    do {
      socket = try Self.listen(port: port)
      guard case .ip4(_, let port) = try socket.socket.sockname() else {
        throw SocketError.unsupportedAddress
      }
      self.port = port
    } catch SocketError.failed(_, _, let message) {
      throw SandboxError(.cannotListen, address: "127.0.0.1:\(port)", detail: message)
    } catch {
      throw SandboxError(.cannotListen, address: "127.0.0.1:\(port)", detail: "\(error)")
    }
  }

  private static func listen(port: UInt16) throws -> AsyncSocket {
    let socket = try Socket(domain: AF_INET)
    do {
      try socket.setValue(true, for: .localAddressReuse)
      try socket.bind(to: .inet(ip4: "127.0.0.1", port: port))
    } catch {
      try? socket.close()
      throw error
    }
    try socket.listen()  // closes the socket itself where it fails
    _ = fcntl(socket.file.rawValue, F_SETFD, FD_CLOEXEC)
    return try AsyncSocket(socket: socket, pool: DispatchSocketPool())
  }

  /// Answers all requests until the task is cancelled; returns when every connection is closed.
  func serve(_ answer: @escaping @Sendable (HTTPRequest) async throws -> SandboxAnswer) async {
    await withDiscardingTaskGroup { group in
      while !Task.isCancelled {
        do {
          let connection = try await socket.accept()
          group.addTask { await Self.serve(connection, answer) }
        } catch {
          // Out of descriptors, as a rule: the ones in use must be given back first.
          try? await Task.sleep(for: .milliseconds(10))
        }
      }
      group.cancelAll()
    }
    try? socket.close()
  }

  private static func serve(
    _ connection: AsyncSocket, _ answer: @Sendable (HTTPRequest) async throws -> SandboxAnswer
  ) async {
    defer { try? connection.close() }
    _ = fcntl(connection.socket.file.rawValue, F_SETFD, FD_CLOEXEC)
    // Without it the kernel holds the end of an answer back until the client, some 40 ms later, has
    // acknowledged its beginning.
    try? connection.socket.setValue(
      true, for: BoolSocketOption(level: Int32(IPPROTO_TCP), name: TCP_NODELAY))
    var parser = HTTPRequestParser()
    do {
      while true {
        while let request = try parser.next() {
          try await connection.write(message(try await answer(request), to: request))
          guard request.keepsAlive else { return }
        }
        parser.received(try await connection.read(atMost: 4_096))
      }
    } catch let fault as XRPCFault {
      let request = HTTPRequest(path: "/", keepsAlive: false)
      try? await connection.write(message(SandboxAnswer(fault), to: request))
    } catch {
      // The client went away, or the sandbox stops.
    }
  }

  private static func message(_ answer: SandboxAnswer, to request: HTTPRequest) -> Data {
    var head = "HTTP/1.1 \(answer.status) \(reason(answer.status))\r\n"
    head += "Content-Type: \(answer.contentType)\r\nContent-Length: \(answer.body.count)\r\n"
    if !request.keepsAlive { head += "Connection: close\r\n" }
    var message = Data((head + "\r\n").utf8)
    if request.method != "HEAD" { message.append(contentsOf: answer.body) }
    return message
  }

  private static func reason(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 400: "Bad Request"
    case 404: "Not Found"
    case 411: "Length Required"
    case 413: "Content Too Large"
    case 431: "Request Header Fields Too Large"
    case 501: "Not Implemented"
    default: "Internal Server Error"
    }
  }
}
