// SPDX-License-Identifier: Apache-2.0

internal import FlyingSocks
package import KithLocalMessages

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A port of 127.0.0.1, or a Unix socket, and its connections: HTTP/1.1 with keep-alive.
///
/// Uses FlyingSocks, the socket layer of FlyingFox, instead of FlyingFox's `HTTPServer`. That one reads a
/// request byte by byte through an asynchronous sequence, and takes 1.5 ms (24 ms unoptimised) for the 1.2 KB
/// of a query about 30 targets, longer than everything else. It also needs all of Foundation, including ICU;
/// the rest of Kith only needs FoundationEssentials.
package struct HTTPListener: Sendable {
  /// The port: the requested one, or the one chosen by the system for 0; 0 for a Unix socket.
  package let port: UInt16
  private let socket: AsyncSocket
  private let limits: LocalHTTPLimits
  private let clock: any Clock<Duration>

  /// The address of the server.
  package var url: String { "http://127.0.0.1:\(port)" }

  /// Starts to listen, without answering yet.
  ///
  /// - Parameter clock: measures the times of the limits.
  /// - Throws: ``LocalHTTPError`` if the port is taken or not allowed.
  package init(
    port: UInt16, limits: LocalHTTPLimits = LocalHTTPLimits(), clock: any Clock<Duration> = ContinuousClock()
  ) throws(LocalHTTPError) {
    do {
      socket = try Self.listen(port: port)
      guard case .ip4(_, let port) = try socket.socket.sockname() else {
        throw SocketError.unsupportedAddress
      }
      self.port = port
      self.limits = limits
      self.clock = clock
    } catch SocketError.failed(_, _, let message) {
      throw LocalHTTPError(.cannotListen, address: "127.0.0.1:\(port)", reason: message)
    } catch {
      throw LocalHTTPError(.cannotListen, address: "127.0.0.1:\(port)", reason: "\(error)")
    }
  }

  /// The longest path of a Unix socket, in bytes: `sun_path` has 108 with its NUL on Linux, 104 on Darwin.
  package static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  /// Starts to listen at the path of a Unix socket, without answering yet.
  ///
  /// What is at the path is replaced, so only one process may do this at a time. The folder must be private, because the socket
  /// gets its mode, 0600, after it was bound.
  /// - Throws: ``LocalHTTPError`` if the path is too long, or not allowed.
  package init(
    path: String, limits: LocalHTTPLimits = LocalHTTPLimits(), clock: any Clock<Duration> = ContinuousClock()
  ) throws(LocalHTTPError) {
    guard path.utf8.count <= Self.longestPath else {
      throw LocalHTTPError(
        .cannotListen, path: path, reason: "a socket's path has at most \(Self.longestPath) bytes")
    }
    do {
      unlink(path)
      socket = try Self.listen(at: sockaddr_un.unix(path: path))
      guard chmod(path, 0o600) == 0 else { throw SocketError.makeFailed("chmod") }
    } catch SocketError.failed(_, _, let message) {
      throw LocalHTTPError(.cannotListen, path: path, reason: message)
    } catch {
      throw LocalHTTPError(.cannotListen, path: path, reason: "\(error)")
    }
    (port, self.limits, self.clock) = (0, limits, clock)
  }

  private static func listen(port: UInt16) throws -> AsyncSocket {
    try listen(at: sockaddr_in.inet(ip4: "127.0.0.1", port: port)) {
      try $0.setValue(true, for: .localAddressReuse)
    }
  }

  private static func listen(
    at address: some SocketAddress, preparing prepare: (Socket) throws -> Void = { _ in }
  ) throws -> AsyncSocket {
    let socket = try Socket(domain: Int32(address.family))
    do {
      try prepare(socket)
      try socket.bind(to: address)
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
  /// - Parameters:
  ///   - pauses: measures the pauses within slow responses.
  ///   - answer: makes the response; the connection is closed if it throws.
  package func serve(
    pausing pauses: any Clock<Duration> = ContinuousClock(),
    _ answer: @escaping @Sendable (LocalRequest) async throws -> LocalResponse
  ) async {
    let places = ConnectionPlaces(limits.connections)
    await withDiscardingTaskGroup { group in
      // While a client waits for a place, the system holds further ones back.
      while !Task.isCancelled {
        do {
          let client = try await socket.accept()
          guard await places.take() else {
            try? client.close()
            break
          }
          if limits.refusesOtherUsers, !PeerOwner.isOwn(client.socket.file.rawValue) {
            try? client.close()
            places.free()
            continue
          }
          let connection = HTTPConnection(client, of: places, limits: limits, clock: clock, pauses: pauses)
          group.addTask {
            await connection.serve(answer)
            places.free()
          }
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
