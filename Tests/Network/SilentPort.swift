// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A port of [::1] whose backlog is full: a client that connects gets no answer at all.
final class SilentPort {
  private var descriptors: [Int32] = []

  /// - Throws: if the port is taken, or IPv6 is not available.
  init(_ port: UInt16) throws {
    let listener = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
    descriptors = [listener]
    var only: Int32 = 1
    setsockopt(listener, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &only, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    address.sin6_addr = in6addr_loopback
    let length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let fillers = (0..<4).map { _ in
      socket(AF_INET6, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    }
    descriptors += fillers
    let isListening = withUnsafeBytes(of: &address) { bytes -> Bool in
      guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
        bind(listener, pointer, length) == 0, listen(listener, 0) == 0
      else { return false }
      for filler in fillers { _ = connect(filler, pointer, length) }
      return true
    }
    guard isListening else { throw POSIXError(.EADDRNOTAVAIL) }
  }

  deinit { for descriptor in descriptors { close(descriptor) } }
}
