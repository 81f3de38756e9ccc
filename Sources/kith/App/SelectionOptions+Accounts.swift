// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithRelationships

extension SelectionOptions {
  /// The filter; nil for all accounts.
  ///
  /// - Throws: ``CommandFault`` with the position of a syntax error.
  func filter(_ context: CommandContext) async throws -> AccountPredicate? {
    try await context.predicate(predicates)
  }

  /// The names of accounts to leave out.
  ///
  /// - Throws: ``CommandFault`` for a file that cannot be opened.
  func exclusions(in process: RunContext) throws(CommandFault) -> [TargetStream] {
    try exclude.map { path throws(CommandFault) in
      TargetStream(origins: [.file(try process.file(path), column: nil)])
    }
  }
}

extension CommandContext {
  /// The predicate of options that may be repeated; nil for none.
  ///
  /// - Throws: ``CommandFault`` with the position of a syntax error.
  func predicate(_ texts: [String]) async throws -> AccountPredicate? {
    try AccountPredicate(
      options: texts, now: Datetime(at: process.time.instant),
      segments: try await workspace.segments(namedIn: texts))
  }
}
