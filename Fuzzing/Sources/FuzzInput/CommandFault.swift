// SPDX-License-Identifier: Apache-2.0

/// Stands in for the command's type of this name, as far as readers use it.
struct CommandFault: Error, Equatable {
  enum Status { case badInput }

  /// What readers say.
  enum Message: Equatable {
    case unclosedQuote(file: String, line: Int)
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
