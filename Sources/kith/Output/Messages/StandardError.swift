// SPDX-License-Identifier: Apache-2.0

/// Standard error: all messages, as opposed to results.
enum StandardError {
  /// Writes a message in the form that the environment selects; a warning only if the run is not quiet.
  static func say(_ message: Message) {
    if message.level == .warning, RunContext.current.isQuiet { return }
    write(message.line(as: .current))
  }

  /// Writes text as it is. Errors are ignored, because there is nowhere left to report them.
  static func write(_ text: String) {
    do throws(CommandFault) { try OutputDescriptor.standardError.write(Array(text.utf8)) } catch {}
  }
}
