// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import RelationshipWriting

/// What is said of jobs.
extension Message {
  static func jobCreated(_ job: JobID, steps: Int) -> Message {
    Message(
      .note, .jobCreated, "job \(job) is written down: \(steps) steps",
      ["job": .job(job), "steps": .integer(steps)])
  }

  /// Records of a list that goes, made by other jobs, go along with it.
  static func undoneAlong(_ count: Int) -> Message {
    Message(
      .note, .undoneAlong,
      "with the list go \(counted(count, "record")) of who is on it that other changes made",
      ["count": .integer(count)])
  }

  static let noJobs = Message(.note, .noJobs, "no jobs yet: each change that you make becomes one")

  static let nothingToUndo = Message(
    .error, .nothingToUndo, "there is no change to undo; kith jobs --all lists what was done")

  /// How what a job did can be undone.
  static func undoHint(_ job: JobID) -> Message {
    Message(.note, .undoHint, "job \(job) (undo: kith undo \(job))", ["job": .job(job)])
  }

  static func jobPaused(_ job: JobID) -> Message {
    Message(
      .note, .jobPaused, "job \(job) was paused; kith jobs resume \(job) goes on", ["job": .job(job)])
  }

  static func jobCancelled(_ job: JobID) -> Message {
    Message(
      .note, .jobCancelled,
      "job \(job) was cancelled; what it did stands, and kith jobs undo \(job) takes it back",
      ["job": .job(job)])
  }

  /// - Parameter account: whom to sign in again, where that is in the way.
  static func jobStopped(_ job: JobID, _ stop: JobStop, account: Handle) -> Message {
    let signIn = stop.code == .notAuthorized ? "sign in with kith login \(account), then " : ""
    let time = stop.until.map { " (more \(MomentText.relative($0)))" } ?? ""
    return Message(
      .error, .jobStopped,
      "job \(job) stopped: \(stop.detail)\(time); \(signIn)continue with kith jobs resume \(job)",
      ["job": .job(job), "reason": .text(stop.code), "until": .text(stop.until)])
  }

  /// Its journal cannot be written.
  static func jobInterrupted(_ job: JobID) -> Message {
    Message(
      .error, .jobInterrupted,
      "job \(job) stopped; kith jobs resume \(job) goes on once its journal can be written",
      ["job": .job(job)])
  }

  static func jobWaiting(_ job: JobID, until: Datetime, _ wait: JobWait) -> Message {
    Message(
      .note, .jobWaiting, "job \(job) waits until \(MomentText.relative(until)) \(wait.words)",
      ["job": .job(job), "until": .text(until), "reason": .string(wait.code)])
  }

  static func jobDone(_ job: JobID) -> Message {
    Message(.note, .jobDone, "job \(job) is done already", ["job": .job(job)])
  }

  static func jobItemsSkipped(_ job: JobID, _ skipped: Int, of total: Int) -> Message {
    Message(
      .note, .jobItemsSkipped, "left alone: \(skipped) of \(total); kith jobs show \(job) tells why",
      ["job": .job(job), "skipped": .integer(skipped), "total": .integer(total)])
  }

  static func jobItemsFailed(_ job: JobID, _ failed: Int, of total: Int) -> Message {
    Message(
      .error, .jobItemsFailed,
      "job \(job): \(failed) of \(total) failed; kith jobs show \(job) tells why, and "
        + "kith jobs retry-failed \(job) tries again",
      ["job": .job(job), "failed": .integer(failed), "total": .integer(total)])
  }

  static func nothingFailed(_ job: JobID) -> Message {
    Message(
      .note, .nothingFailed, "nothing of job \(job) failed, so nothing was tried again", ["job": .job(job)])
  }

  static func jobsPruned(_ count: Int) -> Message {
    Message(.note, .jobsPruned, "\(counted(count, "job")) forgotten", ["count": .integer(count)])
  }

  static func jobsHidden(_ count: Int) -> Message {
    Message(
      .note, .jobsHidden, "\(counted(count, "older job")) not listed; --all lists all",
      ["count": .integer(count)])
  }

  static func jobNotWrittenDown(_ job: JobID) -> Message {
    Message(
      .error, .jobNotWrittenDown,
      "job \(job) was never written down to its end, and nothing of it was sent; kith jobs cancel \(job) gives it up",
      ["job": .job(job)])
  }

  static func jobToResumeFirst(_ job: JobID) -> Message {
    Message(
      .error, .jobToResumeFirst,
      "job \(job) was interrupted before it was done; kith jobs resume \(job) comes first",
      ["job": .job(job)])
  }

  static func jobOfAnotherAccount(_ job: Job) -> Message {
    Message(
      .error, .jobOfAnotherAccount,
      "job \(job.id) belongs to \(job.account); leave --account out, or name that one",
      ["job": .job(job.id), "did": .text(job.account)])
  }
}

extension JobWait {
  /// What it waits for, behind a time.
  var words: String {
    switch self {
    case .budget: "for points of the write budget"
    case .rateLimit: "as the server asks"
    case .trouble(let trouble): "to try again: \(trouble)"
    }
  }

  fileprivate var code: String {
    switch self {
    case .budget: "budget"
    case .rateLimit: "rateLimit"
    case .trouble: "trouble"
    }
  }
}

extension OutputValue {
  /// A job's number.
  static func job(_ job: JobID) -> OutputValue { .number(job.number) }
}
