// SPDX-License-Identifier: Apache-2.0

import KithCore
package import KithWriting

extension OperationError {
  /// The answer was no.
  package static let declined = OperationError(.declined, .usage, "nothing was changed")

  /// The task was cancelled before anything was recorded.
  package static let interrupted = OperationError(
    .interrupted, .interrupted, "interrupted; nothing was changed")

  static let nothingToUndo = OperationError(.nothingToUndo, .usage, "there is no change to undo")

  /// Why the last change is not taken back.
  package enum StayingChange: String, Sendable, CaseIterable {
    /// Nothing had to be changed, or nothing could be.
    case changedNothing
    /// Its job is unfinished, and has changed nothing yet.
    case isUnfinished
    /// It cannot be taken back.
    case isFinal
    /// It was taken back already.
    case isTakenBack
    /// Its job was removed.
    case removed

    fileprivate var words: String {
      switch self {
      case .changedNothing: "changed nothing"
      case .isUnfinished: "is unfinished and has changed nothing"
      case .isFinal: "cannot be undone"
      case .isTakenBack: "is undone already"
      case .removed: "cannot be undone: its job was removed"
      }
    }
  }

  /// - Parameters:
  ///   - title: what the change did, in one or two words.
  ///   - older: the last job before it that could be undone; nil if there is none.
  package static func lastChangeStays(
    _ title: String, _ reason: StayingChange, job: JobID?, older: Job?
  ) -> OperationError {
    OperationError(
      .lastChangeStays, .usage,
      "your last change, \(job.map { "job \($0) (\(title))" } ?? title), \(reason.words)",
      [
        "title": .string(title), "reason": .string(reason.rawValue), "job": .number(job?.number),
        "older": .number(older?.id.number), "olderTitle": .text(older?.title),
      ])
  }

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
