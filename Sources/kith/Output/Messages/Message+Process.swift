// SPDX-License-Identifier: Apache-2.0

/// What is said of the command line, of files and of the process.
extension Message {
  static func usage(_ reason: String) -> Message { Message(.error, .usage, reason) }

  static func unknownCommand(_ text: String, word: String, suggestion: String?) -> Message {
    Message(.error, .unknownCommand, text, ["word": .string(word), "suggestion": .text(suggestion)])
  }

  static func unknownMessageForm(_ text: String) -> Message {
    let forms = MessageForm.allCases.map(\.rawValue).joined(separator: " or ")
    return Message(
      .error, .unknownMessageForm, "\(MessageForm.variable): \"\(text)\" is unknown; set it to \(forms)",
      ["value": .string(text)])
  }

  static func internalError(_ error: any Error) -> Message {
    Message(.error, .internalError, "a fault of our own: \(error)")
  }

  static let interruptedBeforeAnyChange = Message(
    .error, .interrupted, "interrupted; nothing was changed")

  static func endedByDeadline(_ span: Duration) -> Message {
    Message(
      .error, .endedByDeadline, "ended by --deadline, after \(DurationText.span(span))",
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

  /// - Parameter reason: the system's own words.
  static func systemError(_ name: String, _ reason: String) -> Message {
    Message(.error, .systemError, "\(name): \(reason)", ["file": .string(name), "reason": .string(reason)])
  }

  static func isAFolder(_ path: String) -> Message {
    Message(.error, .isAFolder, "\(path): it is a folder; name a file", ["file": .string(path)])
  }

  static func notUnicode(file: String) -> Message {
    Message(.error, .notUnicode, "\(file): it is not a text in UTF-8", ["file": .string(file)])
  }

  static func noHome(_ variable: String) -> Message {
    Message(
      .error, .noHome, "neither \(variable) nor HOME names an absolute path, so there is no place for files",
      ["variable": .string(variable)])
  }

  static func certificates(_ reason: Message?) -> Message {
    Message(
      .error, .certificates, "--ca-file or SSL_CERT_FILE: \(reason?.text ?? "")",
      ["cause": reason?.cause ?? .null])
  }

  static func noColumn(_ name: String, file: String, columns: [String]) -> Message {
    Message(
      .error, .noColumn,
      "\(file): no column \"\(name)\"; its columns are \(columns.joined(separator: ", "))",
      [
        "file": .string(file), "column": .string(name),
        "columns": .array(columns.map { .string($0) }),
      ])
  }

  static func unclosedQuote(file: String, line: Int) -> Message {
    Message(
      .error, .unclosedQuote, "\(file):\(line): a quotation mark opens a cell that never ends",
      ["file": .string(file), "line": .integer(line)])
  }

  static func noAccountColumn(file: String, columns: [String]) -> Message {
    Message(
      .error, .noAccountColumn,
      "\(file): none of its columns is known to name accounts (\(columns.joined(separator: ", "))); choose one by "
        + "--column, and where there is no header line, add one",
      ["file": .string(file), "columns": .array(columns.map { .string($0) })])
  }

  static func elementTooLong(file: String, line: Int) -> Message {
    Message(
      .error, .elementTooLong,
      "\(file):\(line): an object longer than 4 MB; take the array out of it, as by jq '.records'",
      ["file": .string(file), "line": .integer(line)])
  }

  static func unclosedJSON(file: String, line: Int) -> Message {
    Message(
      .error, .unclosedJSON, "\(file):\(line): the file ends within the JSON that begins here",
      ["file": .string(file), "line": .integer(line)])
  }

  // MARK: Confirmations

  static func needsConfirmation(_ question: String, alternative: String?) -> Message {
    let wayOut = ["say --yes if it is meant so", alternative].compactMap(\.self).joined(separator: ", or ")
    return Message(
      .error, .needsConfirmation, "\(question) Nobody can be asked here; \(wayOut)",
      ["question": .string(question)])
  }

  static let declined = Message(.error, .declined, "nothing was done")

  // MARK: The demo

  static func demoFailed(_ command: String, status: Int32) -> Message {
    Message(
      .error, .demoFailed, "the demo failed: \(command) ended with \(status)",
      ["command": .string(command), "status": .number(status)])
  }
}
