// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore

/// A DNS that responds from a script and records its queries.
package final class ScriptedTextRecords: TextRecords {
  private let answer: @Sendable (String) throws -> [String]
  private let seen = PosixMutex<[String]>([])

  /// Responds to each name with a function.
  package init(_ answer: @escaping @Sendable (String) throws -> [String]) { self.answer = answer }

  /// Responds to these names only.
  package convenience init(_ records: [String: [String]] = [:]) { self.init { records[$0] ?? [] } }

  /// The requested names, in order.
  package var names: [String] { seen.withLock { $0 } }

  package func texts(of name: String) async throws -> [String] {
    seen.withLock { $0.append(name) }
    return try answer(name)
  }
}
