// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import RelationshipWriting

/// What an account leaves behind where it signs out: jobs that can only go on, end or be undone with its session.
struct UnfinishedWork: Sendable, Equatable {
  /// Those with an end that has not been carried out.
  let timed: [JobID]
  /// The others that are not done, or have items in doubt.
  let open: [JobID]

  var isEmpty: Bool { timed.isEmpty && open.isEmpty }
  var jobs: [JobID] { (timed + open).sorted() }

  init(timed: [JobID], open: [JobID]) { (self.timed, self.open) = (timed, open) }

  /// Reads it from the journal.
  init(of account: DID, in store: any JobStore) async throws {
    // Whatever its end, each is due at the end of time.
    let timed = try await store.due(at: .max).map(\.job).filter { $0.account == account }.map(\.id)
    let others = try await store.summaries(of: account).filter { !timed.contains($0.job.id) }
    self.init(timed: timed, open: others.filter(\.isUnfinished).map(\.job.id))
  }
}

extension JobSummary {
  /// Whether something of it is still to be sent, or to be learned. One that was never written down has nothing.
  fileprivate var isUnfinished: Bool {
    counts[.inDoubt] > 0 || !job.state.isEnded && job.state != .preparing
  }
}
