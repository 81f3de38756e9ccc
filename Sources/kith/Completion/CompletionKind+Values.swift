// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithOperations

extension CompletionKind {
  /// A signed-in account.
  static let account = values { $0.accounts }
  /// An actor: `me`, or a signed-in account.
  static let actor = values { ["me"] + $0.accounts }
  static let ownList = values { $0.lists }
  static let segment = values { $0.segments }
  /// A predicate; only its segments can be offered.
  static let predicate = values { values in values.segments.map { "segment \($0)" } }

  /// A relation of `--is`.
  static let relation = values { _ in
    ["following", "followed-by", "mutual", "blocking", "blocked-by", "blocked", "muted", "none"]
  }

  static let job = values { $0.jobs.map(\.number) }
  static let openJob = values { $0.jobs.filter { !$0.isEnded && !$0.isProposed }.map(\.number) }
  static let proposedJob = values { $0.jobs.filter(\.isProposed).map(\.number) }
  static let jobToUndo = values { $0.jobs.filter(\.hasDone).map(\.number) }
  static let failedJob = values { $0.jobs.filter(\.hasFailed).map(\.number) }

  /// A column of the CSV files that the command line names.
  static let column = custom { words, _, _ in
    candidates(CommandLineFiles(words, home: CompletionValues.current.home).columns)
  }

  private static func values(_ values: @escaping @Sendable (CompletionValues) -> [String]) -> CompletionKind {
    custom { _, _, _ in candidates(values(.current)) }
  }

  /// Values in the form that the generated scripts take for literal text; in zsh a colon starts a description.
  ///
  /// Names come from files and from other accounts. A shell reads one candidate a line and shows it as it is,
  /// so names with control characters, line breaks or invisible characters are left out.
  private static func candidates(_ values: [String]) -> [String] {
    let shown = values.filter { TerminalText.clean($0) == $0 }
    guard CompletionShell.requesting == .zsh else { return shown }
    return shown.map { $0.replacing("\\", with: "\\\\").replacing(":", with: "\\:") }
  }
}
