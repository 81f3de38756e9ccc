// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The user whose process is at the other end of a connection within this machine.
///
/// Linux tells the owner of a socket by its two ends: see sock_diag(7).
enum PeerOwner {
  /// Whether the other end belongs to this user or to root; true where the system does not say.
  static func isOwn(_ socket: CInt) -> Bool {
    #if os(Linux)
      guard let ends = Ends(of: socket), let answer = answer(to: request(about: ends)) else { return true }
      return admits(answer, user: geteuid())
    #else
      return true
    #endif
  }

  #if os(Linux)
    /// The two ends of a connection, as the other one sees them; numbers in the order of the network.
    struct Ends {
      let localPort, remotePort: UInt16
      let local, remote: UInt32

      fileprivate init?(of socket: CInt) {
        guard let peer = Self.address(socket, getpeername), let own = Self.address(socket, getsockname) else {
          return nil
        }
        (localPort, local) = (peer.sin_port, peer.sin_addr.s_addr)
        (remotePort, remote) = (own.sin_port, own.sin_addr.s_addr)
      }

      private static func address(
        _ socket: CInt,
        _ name: (CInt, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> CInt
      ) -> sockaddr_in? {
        var (address, length) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
        let isFound = withUnsafeMutablePointer(to: &address) { pointer in
          pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name(socket, $0, &length) == 0 }
        }
        return isFound && address.sin_family == sa_family_t(AF_INET) ? address : nil
      }
    }

    private static let sockDiagnosis: CInt = 4  // NETLINK_SOCK_DIAG
    private static let byFamily: UInt16 = 20  // SOCK_DIAG_BY_FAMILY
    private static let headBytes = 16  // struct nlmsghdr
    private static let ownerOffset = headBytes + 64  // of idiag_uid in struct inet_diag_msg
    private static let stateOffset = headBytes + 1  // of idiag_state
    private static let established: UInt8 = 1  // TCP_ESTABLISHED
    private static let anyCookie = ~0 as UInt32  // INET_DIAG_NOCOOKIE

    /// A message with a `struct inet_diag_req_v2`.
    private static func request(about ends: Ends) -> [UInt8] {
      var body: [UInt8] = [UInt8(AF_INET), UInt8(IPPROTO_TCP), 0, 0]
      body += bytes(~0 as UInt32)  // sockets in any state
      body += bytes(ends.localPort) + bytes(ends.remotePort)
      body += bytes(ends.local) + [UInt8](repeating: 0, count: 12)
      body += bytes(ends.remote) + [UInt8](repeating: 0, count: 12)
      body += bytes(0 as UInt32) + bytes(anyCookie) + bytes(anyCookie)
      let isRequest: UInt16 = 1  // NLM_F_REQUEST
      return bytes(UInt32(headBytes + body.count)) + bytes(byFamily) + bytes(isRequest)
        + [UInt8](repeating: 0, count: 8) + body
    }

    private static func answer(to request: [UInt8]) -> [UInt8]? {
      let kernel = socket(AF_NETLINK, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), sockDiagnosis)
      guard kernel >= 0 else { return nil }
      defer { close(kernel) }
      guard send(kernel, request, request.count, 0) == request.count else { return nil }
      var answer = [UInt8](repeating: 0, count: 8_192)
      // The kernel has answered before `send` returns.
      let count = recv(kernel, &answer, answer.count, CInt(MSG_DONTWAIT))
      return count > 0 ? Array(answer.prefix(count)) : nil
    }

    /// Whether an answer names a user or root; true if it is an error, because then the system does not say.
    ///
    /// A socket that was closed has no owner any more, and is shown as one of root.
    static func admits(_ answer: [UInt8], user: UInt32) -> Bool {
      guard answer.count >= ownerOffset + 4, number(answer, at: 4, of: UInt16.self) == byFamily else {
        return true
      }
      let owner = number(answer, at: ownerOffset, of: UInt32.self)
      return answer[stateOffset] == established && (owner == 0 || owner == user)
    }

    private static func number<Number: FixedWidthInteger>(
      _ bytes: [UInt8], at offset: Int, of: Number.Type
    ) -> Number {
      bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Number.self) }
    }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
      withUnsafeBytes(of: number) { Array($0) }
    }
  #endif
}
