// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations

/// Messages about the command line, files and the process.
extension Message {
  static func formerSpelling(_ former: String, _ current: String) -> Message {
    Message(
      .warning, .formerSpelling,
      "\(former) is now \(current); the former spelling ends with the next version",
      ["former": .string(former), "current": .string(current)])
  }

  static func usage(_ reason: String) -> Message { Message(.error, .usage, reason) }

  static func unknownCommand(_ text: String, word: String, suggestion: String?) -> Message {
    Message(.error, .unknownCommand, text, ["word": .string(word), "suggestion": .text(suggestion)])
  }

  static func invalidClockShift(_ variable: String, _ text: String) -> Message {
    Message(
      .error, .invalidClockShift,
      "\(variable): \"\(text)\" is not a number of seconds, of at most a century",
      ["value": .string(text)])
  }

  static func unknownMessageForm(_ text: String) -> Message {
    let forms = MessageForm.allCases.map(\.rawValue).joined(separator: " or ")
    return Message(
      .error, .unknownMessageForm, "\(MessageForm.variable): unknown value \"\(text)\"; use \(forms)",
      ["value": .string(text)])
  }

  static let noArguments = Message(
    .error, .noArguments,
    "the arguments of the process cannot be read; a preloaded library may have changed its environment")

  static func internalError(_ error: any Error) -> Message {
    Message(.error, .internalError, "internal error: \(DecodingFault(error))")
  }

  static func endedByDeadline(_ span: Duration) -> Message {
    Message(
      .error, .endedByDeadline, "ended by --deadline after \(DurationText.span(span))",
      ["deadlineMilliseconds": .milliseconds(span)])
  }

  static func log(_ text: String, _ details: [OutputField]) -> Message {
    let words = details.map { field in
      if case .string(let value) = field.value { "\(field.name) \(value)" } else { field.name }
    }
    return Message(
      .log, .log, words.isEmpty ? text : "\(text): \(words.joined(separator: ", "))",
      ["details": .object(details)])
  }

  // MARK: Files

  /// - Parameter reason: the error message of the system.
  static func systemError(_ name: String, _ reason: String) -> Message {
    Message(.error, .systemError, "\(name): \(reason)", ["file": .string(name), "reason": .string(reason)])
  }

  static func tooFewDescriptors(_ reason: String) -> Message {
    Message(
      .error, .tooFewDescriptors,
      "this process may open too few files: \(reason); raise the limit with ulimit -n",
      ["reason": .string(reason)])
  }

  /// A file or folder that other users may have changed, or may change.
  static func unsafeFile(_ error: SecureFolderError) -> Message {
    Message(
      .error, .unsafeFile, "\(error)" + (error.remedy.map { "; \($0)" } ?? ""),
      ["file": .string(error.path), "cause": .string("file.\(error.code)")])
  }

  static func isAFolder(_ path: String) -> Message {
    Message(.error, .isAFolder, "\(path): is a folder; name a file", ["file": .string(path)])
  }

  static func notUnicode(file: String) -> Message {
    Message(.error, .notUnicode, "\(file): is not UTF-8 text", ["file": .string(file)])
  }

  static func noHome(_ variable: String) -> Message {
    Message(
      .error, .noHome, "neither \(variable) nor HOME is an absolute path, so there is no place for files",
      ["variable": .string(variable)])
  }

  static func certificates(_ reason: Message?) -> Message {
    Message(
      .error, .certificates, "--ca-file or SSL_CERT_FILE: \(reason?.text ?? "")",
      ["cause": reason?.cause ?? .null])
  }

  // MARK: Confirmations

  static func needsConfirmation(_ question: String, alternative: String?) -> Message {
    let remedy = ["confirm with --yes", alternative].compactMap(\.self).joined(separator: ", or ")
    return Message(
      .error, .needsConfirmation, "\(question) There is no terminal to ask on; \(remedy)",
      ["question": .string(question)])
  }

  // MARK: The sandbox

  static func noSandboxProgram(_ paths: [String]) -> Message {
    Message(
      .error, .noSandboxProgram,
      "kith-sandbox, which has the network and the demo, is not installed: it is neither at "
        + "\(paths.joined(separator: " nor at ")); install it with kith, by make install",
      ["files": .array(paths.map(OutputValue.string))])
  }
}
