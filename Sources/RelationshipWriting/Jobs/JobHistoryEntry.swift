// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// What a job has done to a subject, or is about to do.
public struct JobHistoryEntry: Sendable, Hashable {
  /// The job.
  public var job: JobID
  /// The place of the item within the job.
  public var position: Int
  /// When it is to be undone again; nil where it is to last.
  public var until: Datetime?
  /// `pending`, `inDoubt` or `done`.
  public var state: JobItemState.Kind
  /// What it does.
  public var step: ChangeStep
  /// Whether an answer to it was ever lost.
  public var wasInDoubt: Bool
  /// The journal's revision as of when it was done; 0 where it is not.
  public var revision: Int64

  /// Puts an entry together.
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

  /// Whether it was still to be sent, or the server's answer to be learned, when it was read.
  var isOpen: Bool { state == .pending || state == .inDoubt }
}
