// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Standard error: everything that is talk and not data.
enum StandardError {
  static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Says a line, cleaned: it may hold words of a server.
  static func say(_ text: String) {
    write("kith: " + TerminalText.clean(text) + "\n")
  }

  /// Writes as it is; what cannot be written is lost, for there is nowhere left to say so.
  static func write(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
      if written < 0 && errno != EINTR { return }
      rest = rest.dropFirst(max(0, written))
    }
  }
}
