// SPDX-License-Identifier: Apache-2.0

/// Standard error: everything that is talk and not data.
enum StandardError {
  /// Says a message, in the form that the environment asks for.
  static func say(_ message: Message) { write(message.line(as: .current)) }

  /// Writes as it is; what cannot be written is lost, for there is nowhere left to say so.
  static func write(_ text: String) {
    do throws(CommandFault) { try OutputDescriptor.standardError.write(Array(text.utf8)) } catch {}
  }
}
