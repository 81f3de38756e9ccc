// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Ends the program with a status and a message.
struct ProgramFault: Error, CustomStringConvertible {
  /// The statuses that are used here, with the meaning that they have for `kith`.
  enum Status: Int32 {
    case unavailable = 69
    case internalError = 70
    case fileTrouble = 74
    case hungUp = 129
    case interrupted = 130
    case readerGone = 141
    case terminated = 143
  }

  let status: Status
  /// The message; empty if there is nothing to say.
  let description: String

  init(_ status: Status, _ description: String = "") {
    self.status = status
    self.description = description
  }

  /// The failure of the last system call on a file or program.
  static func system(
    _ path: String, status: Status = .fileTrouble, number: Int32 = errno
  ) -> ProgramFault {
    ProgramFault(status, "\(path): \(String(cString: strerror(number)))")
  }
}

/// The standard streams.
enum StandardOutput {
  /// - Parameter descriptor: standard output, or standard error.
  /// - Throws: ``ProgramFault``.
  static func write(_ bytes: [UInt8], to descriptor: Int32 = STDOUT_FILENO) throws(ProgramFault) {
    var remaining = bytes[...]
    while !remaining.isEmpty {
      let count = remaining.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        throw errno == EPIPE ? ProgramFault(.readerGone) : .system("standard output")
      }
      remaining = remaining.dropFirst(count)
    }
  }
}
