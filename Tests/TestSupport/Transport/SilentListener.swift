// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A port with a full backlog: a client that connects gets no response at all.
package final class SilentListener {
  /// The host and port.
  package let authority: String
  private var descriptors: [Int32]

  /// Starts listening and fills the backlog.
  ///
  /// - Throws: A POSIX error if no port is available.
  package init() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    descriptors = [listener]
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let fillers = (0..<4).map { _ in
      socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    }
    descriptors += fillers
    let status = withUnsafeMutableBytes(of: &address) { bytes -> Int32 in
      guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
        bind(listener, pointer, length) == 0, listen(listener, 0) == 0,
        getsockname(listener, pointer, &length) == 0
      else { return -1 }
      for filler in fillers { _ = connect(filler, pointer, length) }
      return 0
    }
    guard status == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
    authority = "127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
  }

  deinit { for descriptor in descriptors { close(descriptor) } }
}
