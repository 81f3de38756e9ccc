// SPDX-License-Identifier: Apache-2.0

internal import FlyingSocks

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A port of 127.0.0.1 and its connections: HTTP/1.1 with keep-alive.
///
/// Uses FlyingSocks, the socket layer of FlyingFox, instead of FlyingFox's `HTTPServer`. That one reads a
/// request byte by byte through an asynchronous sequence, and takes 1.5 ms (24 ms unoptimised) for the 1.2 KB
/// of a query about 30 targets, longer than everything else. It also needs all of Foundation, including ICU;
/// the rest of Kith only needs FoundationEssentials.
struct HTTPListener: Sendable {
  /// The port: the requested one, or the one chosen by the system for 0.
  let port: UInt16
  private let socket: AsyncSocket

  /// Starts to listen, without answering yet.
  ///
  /// - Throws: ``SandboxError`` if the port is taken or not allowed.
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
    try socket.listen()  // closes the socket itself if it fails
    _ = fcntl(socket.file.rawValue, F_SETFD, FD_CLOEXEC)
    return try AsyncSocket(socket: socket, pool: DispatchSocketPool())
  }

  /// Answers all requests until the task is cancelled; returns when every connection is closed.
  ///
  /// - Parameter clock: measures the pauses within slow answers.
  func serve(
    clock: any Clock<Duration>, _ answer: @escaping @Sendable (HTTPRequest) async throws -> SandboxAnswer
  ) async {
    await withDiscardingTaskGroup { group in
      while !Task.isCancelled {
        do {
          let connection = HTTPConnection(try await socket.accept(), clock: clock)
          group.addTask { await connection.serve(answer) }
        } catch {
          // Usually out of descriptors; wait until some are released.
          try? await Task.sleep(for: .milliseconds(10))
        }
      }
      group.cancelAll()
    }
    try? socket.close()
  }
}
