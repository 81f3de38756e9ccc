// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// What a job has done, or is about to do, to a subject.
public struct JobHistoryEntry: Sendable, Hashable {
  /// The job.
  public var job: JobID
  /// The position of the item in the job.
  public var position: Int
  /// When it is to be undone; nil if it is permanent.
  public var until: Datetime?
  /// `pending`, `inDoubt` or `done`.
  public var state: JobItemState.Kind
  /// The step.
  public var step: ChangeStep
  /// Whether the answer to a commit of it was ever lost.
  public var wasInDoubt: Bool
  /// The journal's revision at which it was done; 0 if it was not.
  public var revision: Int64

  /// Creates an entry.
  public init(
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
