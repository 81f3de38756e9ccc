// SPDX-License-Identifier: Apache-2.0

package import KithCore
package import KithRelationships

/// What a job has done, or is about to do, to a subject.
package struct JobHistoryEntry: Sendable, Hashable {
  /// The job.
  package var job: JobID
  /// The position of the item in the job.
  package var position: Int
  /// When it is to be undone; nil if it is permanent.
  package var until: Datetime?
  /// `pending`, `inDoubt` or `done`.
  package var state: JobItemState.Kind
  /// The step.
  package var step: ChangeStep
  /// Whether the answer to a commit of it was ever lost.
  package var wasInDoubt: Bool
  /// The journal's revision at which it was done; 0 if it was not.
  package var revision: Int64
  /// The place of the job in the order of jobs: its number, unless it was proposed.
  package var order: JobID

  /// Creates an entry.
  package init(
    job: JobID, position: Int, until: Datetime? = nil, state: JobItemState.Kind, step: ChangeStep,
    wasInDoubt: Bool = false, revision: Int64 = 0, order: JobID? = nil
  ) {
    self.job = job
    self.position = position
    self.until = until
    self.state = state
    self.step = step
    self.wasInDoubt = wasInDoubt
    self.revision = revision
    self.order = order ?? job
  }

  /// Whether it was still to be sent, or its outcome was unknown, when it was read.
  var isOpen: Bool { state == .pending || state == .inDoubt }
}

extension JobHistoryEntry {
  /// Whether it wrote, or is about to write, this version of a request.
  package func asks(_ request: FriendRequest) -> Bool {
    step.writes.contains { write in
      guard write.collection == FriendRequest.collection else { return false }
      return switch write.action {
      case .create(let value), .update(let value, former: _):
        FriendRequest(value, of: request.requester, at: write.rkey)?.version == request.version
      case .delete: false
      }
    }
  }

  /// Whether it ended, or is about to end, a follow, or blocks the account.
  package var parts: Bool {
    step.writes.contains { write in
      write.makesRecord ? write.collection == .block : write.collection == .follow
    }
  }
}
