// SPDX-License-Identifier: Apache-2.0

/// Asks whether something is really meant, before it is done.
enum Confirmation {
  /// Goes on only with a yes.
  ///
  /// - Parameter question: what is about to be done: `Unfollow 312 accounts?`
  /// - Throws: ``CommandFault``: `usage` where nobody can be asked, `interrupted` where the answer is no.
  static func require(_ question: String) async throws {
    guard OutputDescriptor.standardError.isTerminal, let prompt = TerminalPrompt() else {
      throw CommandFault(
        .usage,
        "\(question) Nobody can be asked here; say --yes if it is meant so, or look with --dry-run first")
    }
    defer { prompt.end() }
    let answer = try await prompt.ask("\(question) [y/N] ")
    guard ["y", "yes"].contains(answer.lowercased()) else {
      throw CommandFault(.interrupted, "nothing was done")
    }
  }
}
