// SPDX-License-Identifier: Apache-2.0

/// Standard error: everything that is talk and not data.
enum StandardError {
  /// Says a line, cleaned: it may hold words of a server.
  static func say(_ text: String) {
    write("kith: " + TerminalText.clean(text) + "\n")
  }

  /// Writes as it is; what cannot be written is lost, for there is nowhere left to say so.
  static func write(_ text: String) {
    do throws(CommandFault) { try OutputDescriptor.standardError.write(Array(text.utf8)) } catch {}
  }
}
