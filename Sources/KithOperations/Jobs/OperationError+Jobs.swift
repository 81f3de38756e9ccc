// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithWriting

extension OperationError {
  /// The answer was no.
  package static let declined = OperationError(.declined, .usage, "nothing was changed")

  /// The task was cancelled before anything was recorded.
  package static let interrupted = OperationError(
    .interrupted, .interrupted, "interrupted; nothing was changed")

  static let nothingToUndo = OperationError(.nothingToUndo, .usage, "there is no change to undo")

  static func jobNotWrittenDown(_ job: JobID) -> OperationError {
    OperationError(
      .jobNotWrittenDown, .usage,
      "job \(job) was not fully recorded, and nothing of it was sent; make the change again",
      ["job": .job(job)])
  }

  static func jobToResumeFirst(_ job: JobID) -> OperationError {
    OperationError(
      .jobToResumeFirst, .usage, "job \(job) was interrupted before it finished; resume it first",
      ["job": .job(job)])
  }

  static func jobOfAnotherAccount(_ job: Job) -> OperationError {
    OperationError(
      .jobOfAnotherAccount, .notAllowed, "job \(job.id) belongs to \(job.account)",
      ["job": .job(job.id), "did": .text(job.account)])
  }
}
