// SPDX-License-Identifier: Apache-2.0

/// Stands in for the command's type of this name, as far as readers use it.
struct CommandFault: Error, Equatable {
  enum Status { case badInput }

  /// What readers say.
  enum Message: Equatable {
    case unclosedQuote(file: String, line: Int)
    case textBesideQuotes(file: String, line: Int)
    case tooManyCells(file: String, line: Int, columns: Int)
    case repeatedColumn(String, file: String)
    case noAccountColumn(file: String, columns: [String])
    case elementTooLong(file: String, line: Int)
    case unclosedJSON(file: String, line: Int)
    case importEmpty
    case noColumn(String, file: String, columns: [String])
    case noHeaderLine(String, file: String)
  }

  let status: Status
  let message: Message

  init(_ status: Status, _ message: Message) {
    self.status = status
    self.message = message
  }
}
