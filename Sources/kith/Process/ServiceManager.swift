// SPDX-License-Identifier: Apache-2.0

import Glibc
import KithCore

/// Tells the service manager that started the process how it is: datagrams at the socket that `NOTIFY_SOCKET` names.
///
/// Specification: sd_notify(3).
struct ServiceManager: Sendable {
  /// What is told.
  enum Sign: Sendable, Hashable {
    /// The service is there.
    case ready
    /// It is alive.
    case alive
    /// It is about to end.
    case stopping

    var text: String {
      switch self {
      case .ready: "READY=1"
      case .alive: "WATCHDOG=1"
      case .stopping: "STOPPING=1"
      }
    }
  }

  private let path: String

  /// Nil if there is none.
  init?(in environment: [String: String]) {
    guard let path = environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@") else {
      return nil
    }
    self.path = path
  }

  /// Tells a sign, and in a sentence what the process does; what cannot be told is left out.
  func tell(_ sign: Sign, _ status: String? = nil) {
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var name = Array(path.utf8)
    // An abstract name begins with NUL, and has none at its end.
    if name.first == UInt8(ascii: "@") { name[0] = 0 }
    let room = MemoryLayout.size(ofValue: address.sun_path)
    guard name.count < room else { return }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let head = MemoryLayout.size(ofValue: address) - room
    let length = socklen_t(head + name.count + (name.first == 0 ? 0 : 1))
    let text = ([sign.text] + (status.map { ["STATUS=\($0)"] } ?? [])).joined(separator: "\n")
    let bytes = Array(text.utf8)
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        _ = sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT), address, length)
      }
    }
  }
}
