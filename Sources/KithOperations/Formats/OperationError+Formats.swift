// SPDX-License-Identifier: Apache-2.0

package import KithCore

extension OperationError {
  /// A format that a file has instead of the expected one.
  public enum Format: String, Sendable, CaseIterable {
    case array = "a JSON array"
    case csv = "CSV"
    case table = "a table"
  }

  /// The format of a file that is not NDJSON.
  public var format: Format? {
    fields.lazy.compactMap { field in
      if case .string(let text) = field.value { Format(rawValue: text) } else { nil }
    }.first
  }

  package static func noColumn(_ name: String, file: String, columns: [String]) -> OperationError {
    OperationError(
      .noColumn, .invalidInput, file,
      "no column \"\(name)\"; the columns are \(columns.joined(separator: ", "))",
      [
        "file": .string(file), "column": .string(name), "columns": .array(columns.map { .string($0) }),
      ])
  }

  package static func repeatedColumn(_ name: String, file: String) -> OperationError {
    OperationError(
      .repeatedColumn, .invalidInput, file, "several columns are named \"\(name)\"",
      ["file": .string(file), "column": .string(name)])
  }

  package static func noHeaderLine(_ account: String, file: String) -> OperationError {
    OperationError(
      .noHeaderLine, .invalidInput, file,
      "the first line names the account \(account); add a header line above it",
      ["file": .string(file), "account": .string(account)])
  }

  package static func noAccountColumn(file: String, columns: [String]) -> OperationError {
    OperationError(
      .noAccountColumn, .invalidInput, file,
      "no known column of accounts among \(columns.joined(separator: ", "))",
      ["file": .string(file), "columns": .array(columns.map { .string($0) })])
  }

  package static func archiveOfX(file: String) -> OperationError {
    OperationError(
      .archiveOfX, .invalidInput, file,
      "the archive of X contains only numeric IDs, which cannot be matched; use a table with names",
      ["file": .string(file)])
  }

  package static func contactsAreJSON(file: String) -> OperationError {
    OperationError(
      .contactsAreJSON, .invalidInput, file,
      "this is JSON; contacts are read from a table (CSV) or from lines with one address each",
      ["file": .string(file)])
  }

  package static func noContacts(file: String, line: Int) -> OperationError {
    OperationError(
      .noContacts, .invalidInput, file, "no line has an account, such as line \(line)",
      ["file": .string(file), "line": .integer(line)])
  }

  package static func tooManyContacts(file: String, most: Int) -> OperationError {
    OperationError(
      .tooManyContacts, .invalidInput, file, "more than \(most) contacts; split the file",
      ["file": .string(file), "most": .integer(most)])
  }

  package static func unclosedQuote(file: String, line: Int) -> OperationError {
    OperationError(.unclosedQuote, file: file, line: line, "unclosed quotation mark")
  }

  package static func textBesideQuotes(file: String, line: Int) -> OperationError {
    OperationError(
      .textBesideQuotes, file: file, line: line,
      "text beside a quoted cell; quote the whole cell, and double the quotation marks in it")
  }

  package static func tooManyCells(file: String, line: Int, columns: Int) -> OperationError {
    OperationError(
      .tooManyCells, .invalidInput, "\(file):\(line)",
      "more cells than the header has columns (\(columns)); quote cells that contain the separator",
      ["file": .string(file), "line": .integer(line), "columns": .integer(columns)])
  }

  package static func elementTooLong(file: String, line: Int) -> OperationError {
    OperationError(.elementTooLong, file: file, line: line, "object longer than 4 MB")
  }

  package static func unclosedJSON(file: String, line: Int) -> OperationError {
    OperationError(
      .unclosedJSON, file: file, line: line, "the file ends inside the JSON value that starts here")
  }

  package static let importEmpty = OperationError(
    .importEmpty, .invalidInput, "nothing to import; nothing was changed")

  package static func notNDJSON(file: String, _ format: Format) -> OperationError {
    OperationError(
      .notNDJSON, .invalidInput, file, "this is \(format.rawValue), but failed rows are read from ndjson",
      ["file": .string(file), "format": .string(format.rawValue)])
  }

  package static func actorMismatch(_ other: DID, at place: String, asked actor: DID) -> OperationError {
    OperationError(
      .actorMismatch, .invalidInput, place,
      "this row is about \(other), but you ask about \(actor); name the account of that run",
      ["place": .string(place), "actor": .text(other), "asked": .text(actor)])
  }

  private init(_ code: Code, file: String, line: Int, _ detail: String) {
    self.init(
      code, .invalidInput, "\(file):\(line)", detail, ["file": .string(file), "line": .integer(line)])
  }
}
