// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Standard output: whole lines, gathered into large writes.
///
/// A reader that went away ends the run in silence, as it does with other tools of the shell.
struct StandardOutput: ~Copyable {
  private var buffer: [UInt8] = []
  /// One write for so many bytes: a pipe's own buffer.
  private static let flushAt = 64 << 10

  /// Adds a line.
  ///
  /// - Throws: ``CommandFault`` when the output cannot be written.
  mutating func line(_ text: String) throws(CommandFault) {
    buffer.append(contentsOf: text.utf8)
    buffer.append(UInt8(ascii: "\n"))
    if buffer.count >= Self.flushAt { try flush() }
  }

  /// Writes what was gathered.
  mutating func flush() throws(CommandFault) {
    defer { buffer.removeAll(keepingCapacity: true) }
    try Self.write(buffer)
  }

  /// Writes bytes as they are.
  static func write(_ bytes: [UInt8]) throws(CommandFault) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if written >= 0 {
        rest = rest.dropFirst(written)
      } else if errno == EPIPE {
        throw CommandFault(.readerGone)
      } else if errno != EINTR {
        throw CommandFault(.fileTrouble, "standard output: \(String(cString: strerror(errno)))")
      }
    }
  }

  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
}
