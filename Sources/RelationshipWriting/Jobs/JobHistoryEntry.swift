// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// What a job has done to a subject, or is about to do.
public struct JobHistoryEntry: Sendable, Hashable {
  /// The job.
  public var job: JobID
  /// When the job is to be undone again; nil where it is to last.
  public var until: Datetime?
  /// `pending`, `inDoubt` or `done`.
  public var state: JobItemState.Kind
  /// What it does.
  public var step: ChangeStep

  /// Puts a trace together.
  public init(job: JobID, until: Datetime? = nil, state: JobItemState.Kind, step: ChangeStep) {
    self.job = job
    self.until = until
    self.state = state
    self.step = step
  }

  /// Whether it was still to be sent, or the server's answer to be learned, when it was read.
  var isOpen: Bool { state == .pending || state == .inDoubt }
}
