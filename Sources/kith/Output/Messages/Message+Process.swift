// SPDX-License-Identifier: Apache-2.0

import KithClient

/// Messages about the command line, files and the process.
extension Message {
  static func usage(_ reason: String) -> Message { Message(.error, .usage, reason) }

  static func unknownCommand(_ text: String, word: String, suggestion: String?) -> Message {
    Message(.error, .unknownCommand, text, ["word": .string(word), "suggestion": .text(suggestion)])
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

  static let interruptedBeforeAnyChange = Message(
    .error, .interrupted, "interrupted; nothing was changed")

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

  static func noColumn(_ name: String, file: String, columns: [String]) -> Message {
    Message(
      .error, .noColumn,
      "\(file): no column \"\(name)\"; the columns are \(columns.joined(separator: ", "))",
      [
        "file": .string(file), "column": .string(name),
        "columns": .array(columns.map { .string($0) }),
      ])
  }

  static func unclosedQuote(file: String, line: Int) -> Message {
    Message(
      .error, .unclosedQuote, "\(file):\(line): unclosed quotation mark",
      ["file": .string(file), "line": .integer(line)])
  }

  static func textBesideQuotes(file: String, line: Int) -> Message {
    Message(
      .error, .textBesideQuotes,
      "\(file):\(line): text beside a quoted cell; quote the whole cell, and double the quotation marks in it",
      ["file": .string(file), "line": .integer(line)])
  }

  static func tooManyCells(file: String, line: Int, columns: Int) -> Message {
    Message(
      .error, .tooManyCells,
      "\(file):\(line): more cells than the header has columns (\(columns)); quote cells that contain the separator",
      ["file": .string(file), "line": .integer(line), "columns": .integer(columns)])
  }

  static func repeatedColumn(_ name: String, file: String) -> Message {
    Message(
      .error, .repeatedColumn,
      "\(file): several columns are named \"\(name)\"; choose one by its number with --column N",
      ["file": .string(file), "column": .string(name)])
  }

  static func noHeaderLine(_ account: String, file: String) -> Message {
    Message(
      .error, .noHeaderLine,
      "\(file): the first line names the account \(account); add a header line above it",
      ["file": .string(file), "account": .string(account)])
  }

  static func noAccountColumn(file: String, columns: [String]) -> Message {
    Message(
      .error, .noAccountColumn,
      "\(file): no known column of accounts among \(columns.joined(separator: ", ")); choose one with --column, "
        + "or add a header line if there is none",
      ["file": .string(file), "columns": .array(columns.map { .string($0) })])
  }

  static func elementTooLong(file: String, line: Int) -> Message {
    Message(
      .error, .elementTooLong,
      "\(file):\(line): object longer than 4 MB; extract the array first, for example with jq '.records'",
      ["file": .string(file), "line": .integer(line)])
  }

  static func unclosedJSON(file: String, line: Int) -> Message {
    Message(
      .error, .unclosedJSON, "\(file):\(line): the file ends inside the JSON value that starts here",
      ["file": .string(file), "line": .integer(line)])
  }

  // MARK: Confirmations

  static func needsConfirmation(_ question: String, alternative: String?) -> Message {
    let wayOut = ["confirm with --yes", alternative].compactMap(\.self).joined(separator: ", or ")
    return Message(
      .error, .needsConfirmation, "\(question) There is no terminal to ask on; \(wayOut)",
      ["question": .string(question)])
  }

  static let declined = Message(.error, .declined, "nothing was changed")

  // MARK: The demo

  static func demoFailed(_ command: String, status: Int32) -> Message {
    Message(
      .error, .demoFailed, "the demo failed: \(command) exited with \(status)",
      ["command": .string(command), "status": .number(status)])
  }
}
