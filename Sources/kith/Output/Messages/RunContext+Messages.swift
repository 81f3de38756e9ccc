// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore

extension RunContext {
  /// Where results go.
  var standardOutput: OutputDescriptor { OutputDescriptor(number: output, name: "stdout") }
  /// Where messages go.
  var standardError: OutputDescriptor { OutputDescriptor(number: errors, name: "stderr") }
  /// The time, for words such as `5 min ago`.
  var now: Datetime { time.datetime }

  /// Writes a message to standard error in the form that the environment selects; a warning only if the run is not quiet.
  func report(_ message: Message) {
    if message.level == .warning, isQuiet { return }
    write(message.line(as: MessageForm(in: environment)))
  }

  /// Reports the error that ends a run, unless everything was already reported.
  func report(_ fault: CommandFault) {
    if let message = fault.message { report(message) }
  }

  /// Writes text to standard error as it is. Errors are ignored, because there is nowhere left to report them.
  func write(_ text: String) {
    do throws(CommandFault) { try standardError.write(Array(text.utf8)) } catch {}
  }
}
