// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// The accounts that an account follows in a graph, by its repository.
package struct GraphFollows: Sendable {
  package let graph: FollowGraph
  /// Each with its newest record, if the server lists the newest first.
  package private(set) var accounts: [DID: AccountView] = [:]
  /// Records about something other than an account.
  package private(set) var otherSubjects = 0
  package private(set) var unreadable = 0

  /// Reads a whole collection: one call per 100 records.
  ///
  /// - Throws: ``RepositoryError``, `CancellationError`.
  package init(_ graph: FollowGraph, by reader: RecordReader) async throws {
    self.graph = graph
    for try await row in reader.accounts(in: graph.kind) {
      switch row {
      case .success(let view)?: if accounts[view.account] == nil { accounts[view.account] = view }
      case .failure(let record)? where record.isAboutSomethingElse(in: graph.kind): otherSubjects += 1
      case .failure?: unreadable += 1
      case nil: break
      }
    }
  }
}
