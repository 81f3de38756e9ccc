// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A free TCP port on loopback, from which a test server accepts connections one by one.
package final class LoopbackListener: Sendable {
  /// The port that the system chose.
  package let port: UInt16
  private let descriptor: Int32

  /// Starts listening.
  ///
  /// - Parameter backlog: The number of connections that may wait to be accepted.
  /// - Throws: A POSIX error if no port is available.
  package init(backlog: Int32) throws {
    (descriptor, port) = try Self.bound(.tcp)
    guard listen(descriptor, backlog) == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
  }

  /// The kinds of sockets that tests bind.
  package enum Kind {
    case tcp, udp
  }

  /// Returns a socket on loopback at a free port.
  ///
  /// - Throws: A POSIX error if no port is available.
  package static func bound(_ kind: Kind) throws -> (descriptor: Int32, port: UInt16) {
    let type = kind == .tcp ? SOCK_STREAM : SOCK_DGRAM
    let descriptor = socket(AF_INET, Int32(type.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutableBytes(of: &address) { bytes -> Int32 in
      guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
        bind(descriptor, pointer, length) == 0
      else { return -1 }
      return getsockname(descriptor, pointer, &length)
    }
    guard descriptor >= 0, status == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }

  deinit { close(descriptor) }

  /// Waits for the next connection and returns its descriptor; nil after ``stop()``.
  package func accept() -> Int32? {
    let connection = Foundation.accept(descriptor, nil, nil)
    guard connection >= 0 else { return nil }
    // Not inherited by a process that a test starts meanwhile, which would keep the connection open.
    _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
    return connection
  }

  /// Wakes the waiter in ``accept()``; the socket is closed with the last reference.
  package func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
