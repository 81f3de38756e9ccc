// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithWording
import KithWriting

/// Messages about jobs.
extension Message {
  /// A plan that waits for a yes.
  static func proposed(_ job: Job, _ digest: PlanDigest, at now: Datetime) -> Message {
    let end = job.proposal.map { ", \(RelativeTimeText.relative($0.expiresAt, to: now)) at the latest" } ?? ""
    return Message(
      .note, .jobProposed,
      "nothing is changed yet; carry out exactly this with: kith jobs approve \(job.id)\(end)",
      ["job": .job(job.id), "digest": .string("\(digest)"), "expiresAt": .text(job.proposal?.expiresAt)])
  }

  static let nothingDue = Message(
    .note, .nothingDue, "nothing is due; changes made with --for end here, and kith jobs shows them")
  static let nothingTimed = Message(
    .note, .nothingTimed, "nothing ends by itself; changes made with --for do")
  static let noJobs = Message(.note, .noJobs, "no jobs yet: each change that you make becomes one")

  /// How what a job did can be undone.
  static func undoHint(_ job: JobID) -> Message {
    Message(.note, .undoHint, "job \(job) (undo: kith undo \(job))", ["job": .job(job)])
  }

  /// How a run of a job ended; nil if it is done.
  init?(_ end: JobEnd, of job: JobID, account: Handle, at now: Datetime) {
    switch end {
    case .done: return nil
    case .paused: self = .jobPaused(job)
    case .cancelled: self = .jobCancelled(job)
    case .stopped(let stop): self = .jobStopped(job, stop, account: account, at: now)
    }
  }

  static func jobPaused(_ job: JobID) -> Message {
    Message(
      .note, .jobPaused, "job \(job) paused; continue with: kith jobs resume \(job)", ["job": .job(job)])
  }

  static func jobCancelled(_ job: JobID) -> Message {
    Message(
      .note, .jobCancelled,
      "job \(job) cancelled; completed changes stay; undo them with: kith jobs undo \(job)",
      ["job": .job(job)])
  }

  /// - Parameters:
  ///   - account: the account to sign in again, if the session is the problem.
  ///   - server: the server that a deactivated account has moved to; nil for none.
  static func jobStopped(
    _ job: JobID, _ stop: JobStop, account: Handle, movedTo server: ServiceURL? = nil, at now: Datetime
  ) -> Message {
    let remedy =
      switch stop.code {
      case .notAuthorized: "sign in with kith login \(account), then continue with kith jobs resume \(job)"
      case .notPermitted:
        "sign in with a password that may, the account's main password or an app password with more "
          + "permissions, with kith login \(account), then try again with kith jobs retry-failed \(job)"
      case .accountSuspended: "ask the operators of the server about it"
      case .accountDeactivated:
        server.map {
          "the account has moved to \($0): sign in there with kith login \(account), then try again with "
            + "kith jobs retry-failed \(job)"
        } ?? "activate the account in an app first, then try again with kith jobs retry-failed \(job)"
      default: "continue with kith jobs resume \(job)"
      }
    let time = stop.until.map { " (until \(RelativeTimeText.at($0, from: now)))" } ?? ""
    return Message(
      .error, .jobStopped, "job \(job) stopped: \(stop.detail)\(time); \(remedy)",
      ["job": .job(job), "reason": .text(stop.code), "until": .text(stop.until)])
  }

  static func jobWaiting(_ job: JobID, until: Datetime, _ wait: JobWait, at now: Datetime) -> Message {
    Message(
      Note.jobWaiting(job, until: until, wait),
      "job \(job) waits until \(RelativeTimeText.at(until, from: now)) \(wait.words)")
  }

  static func jobDone(_ job: JobID) -> Message {
    Message(.note, .jobDone, "job \(job) is already done", ["job": .job(job)])
  }

  static func jobUndone(_ job: JobID) -> Message {
    Message(.note, .jobUndone, "job \(job) is already undone", ["job": .job(job)])
  }

  /// Another process undoes an expired change, or has done so since it was found.
  static func jobEndedElsewhere(_ job: JobID, isDone: Bool) -> Message {
    Message(
      .note, .jobEndedElsewhere,
      isDone ? "job \(job): another process has undone it" : "job \(job): another process is undoing it",
      ["job": .job(job), "done": .bool(isDone)])
  }

  /// An expired change has not expired by the clock of its server.
  static func jobEndsLater(_ job: JobID) -> Message {
    Message(
      .warning, .jobEndsLater, "job \(job): left as it is; by the server's clock its end has not come",
      ["job": .job(job)])
  }

  /// A change that made no job was taken back.
  static func tookBack(_ title: String) -> Message {
    Message(.note, .tookBack, "took back: \(title)", ["title": .string(title)])
  }

  static func jobItemsSkipped(_ job: JobID, _ skipped: Int, of total: Int) -> Message {
    Message(
      .note, .jobItemsSkipped, "\(skipped) of \(total) unchanged; see why: kith jobs show \(job)",
      ["job": .job(job), "skipped": .integer(skipped), "total": .integer(total)])
  }

  static func jobItemsFailed(_ job: JobID, _ failed: Int, of total: Int) -> Message {
    Message(
      .error, .jobItemsFailed,
      "job \(job): \(failed) of \(total) failed; see why: kith jobs show \(job); "
        + "try again: kith jobs retry-failed \(job)",
      ["job": .job(job), "failed": .integer(failed), "total": .integer(total)])
  }

  static func nothingFailed(_ job: JobID) -> Message {
    Message(
      .note, .nothingFailed, "job \(job) has no failed items", ["job": .job(job)])
  }

  static func jobsPruned(_ count: Int) -> Message {
    Message(.note, .jobsPruned, "\(counted(count, "job")) removed", ["count": .integer(count)])
  }

  static func jobsHidden(_ count: Int) -> Message {
    Message(
      .note, .jobsHidden, "\(counted(count, "older job")) not listed; --all lists all",
      ["count": .integer(count)])
  }

}

extension JobWait {
  /// What it waits for, as the end of a sentence.
  var words: String { Wording.words(for: self) }
}
