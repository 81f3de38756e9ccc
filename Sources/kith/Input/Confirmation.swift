// SPDX-License-Identifier: Apache-2.0

import KithOperations

/// Asks for confirmation on the terminal.
struct Confirmation {
  let process: RunContext

  /// Continues only after a yes.
  ///
  /// - Parameters:
  ///   - question: what is about to be done: `Unfollow 312 accounts?`
  ///   - alternative: what to suggest besides `--yes` if there is no terminal.
  /// - Throws: ``CommandFault``: `usage` without a terminal, `no` if the user declines.
  func require(_ question: String, or alternative: String? = nil) async throws {
    guard let isMeant = try await offer(question) else {
      throw CommandFault(.usage, .needsConfirmation(question, alternative: alternative))
    }
    guard isMeant else { throw CommandFault(OperationError.declined) }
  }

  /// Whether there is a terminal to ask on.
  var isPossible: Bool {
    guard process.standardError.isTerminal, let prompt = TerminalPrompt() else { return false }
    prompt.end()
    return true
  }

  /// Asks a yes-or-no question.
  ///
  /// - Returns: nil without a terminal.
  func offer(_ question: String) async throws -> Bool? {
    guard process.standardError.isTerminal, let prompt = TerminalPrompt() else { return nil }
    defer { prompt.end() }
    // It names accounts and lists, some as files of strangers do.
    let answer = try await process.questionTime.measuring(by: process.time) {
      try await prompt.ask("\(TerminalText.clean(question)) [y/N] ")
    }
    return ["y", "yes"].contains(answer.lowercased())
  }
}
