// SPDX-License-Identifier: Apache-2.0

package import KithCore

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

  /// Creates an entry.
  package init(
    job: JobID, position: Int, until: Datetime? = nil, state: JobItemState.Kind, step: ChangeStep,
    wasInDoubt: Bool = false, revision: Int64 = 0
  ) {
    self.job = job
    self.position = position
    self.until = until
    self.state = state
    self.step = step
    self.wasInDoubt = wasInDoubt
    self.revision = revision
  }

  /// Whether it was still to be sent, or its outcome was unknown, when it was read.
  var isOpen: Bool { state == .pending || state == .inDoubt }
}
