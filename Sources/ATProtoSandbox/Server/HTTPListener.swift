// SPDX-License-Identifier: Apache-2.0

internal import FlyingSocks

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
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
  ///
  /// - Parameter clock: measures the pauses within answers that are to be slow.
  func serve(
    clock: any Clock<Duration>, _ answer: @escaping @Sendable (HTTPRequest) async throws -> SandboxAnswer
  ) async {
    await withDiscardingTaskGroup { group in
      while !Task.isCancelled {
        do {
          let connection = HTTPConnection(try await socket.accept(), clock: clock)
          group.addTask { await connection.serve(answer) }
        } catch {
          // Out of descriptors, as a rule: the ones in use must be given back first.
          try? await Task.sleep(for: .milliseconds(10))
        }
      }
      group.cancelAll()
    }
    try? socket.close()
  }
}
