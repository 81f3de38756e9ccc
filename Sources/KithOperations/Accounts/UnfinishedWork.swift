// SPDX-License-Identifier: Apache-2.0

package import KithCore
public import KithWriting

/// The jobs that an account leaves behind when it signs out: they need its session to continue, end or be
/// undone.
public struct UnfinishedWork: Sendable, Equatable {
  /// Timed jobs that have not been undone yet.
  public let timed: [JobID]
  /// Other jobs that are not done, or have items in doubt.
  public let open: [JobID]

  public var isEmpty: Bool { timed.isEmpty && open.isEmpty }
  public var jobs: [JobID] { (timed + open).sorted() }

  public init(timed: [JobID], open: [JobID]) { (self.timed, self.open) = (timed, open) }

  /// Reads the jobs from the journal of a workspace, if there is one.
  package init(of account: DID, in workspace: Workspace) async throws {
    try await self.init(of: account, in: try workspace.jobStoreToRead())
  }

  /// Reads the jobs from a journal.
  package init(of account: DID, in store: any JobStore) async throws {
    // In the distant future, every timed job is due.
    let timed = try await store.due(at: .distantFuture).map(\.job).filter { $0.account == account }.map(\.id)
    let others = try await store.summaries(of: account).filter { !timed.contains($0.job.id) }
    self.init(timed: timed, open: others.filter(\.isUnfinished).map(\.job.id))
  }
}
