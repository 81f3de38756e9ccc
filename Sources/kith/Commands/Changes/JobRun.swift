// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import RelationshipStore
import RelationshipWriting

/// Runs a job before the eyes of whoever waits for it, and says how that ended.
struct JobRun {
  let wiring: Wiring
  let points: PointOptions
  let account: AuthorizedAccount
  let store: any JobStore

  var common: CommonOptions { wiring.common }

  var runner: JobRunner {
    JobRunner(
      repository: wiring.repository(of: account, telling: store), store: store, time: wiring.time,
      options: points.runnerOptions)
  }

  /// Runs it to its end, or until something is in the way.
  ///
  /// - Returns: the status that the end amounts to, failures of single items not counted.
  func run(_ job: JobID) async throws -> ExitStatus {
    do {
      return try await shown { progress in (job, try await runner.run(job, progress: progress)) }.status
    } catch let error as StoreError {
      StandardError.say(.jobInterrupted(job))
      throw error
    }
  }

  /// Takes back a timed change whose end has come.
  ///
  /// - Returns: the status that the end amounts to, and what could not be taken back: it is not due again.
  func end(_ due: DueJob) async throws -> ExitStatus {
    let (job, status) = try await shown { progress in
      let (job, end) = try await runner.end(due, progress: progress)
      return (job.id, end)
    }
    let summary = try await store.summary(of: job)
    // What failed when it was done is nothing to take back.
    return summary.job.undoes == nil ? status : status.orGraver(summary.tellOfFailures())
  }

  private func shown(
    _ body: (@escaping @Sendable (JobProgress) -> Void) async throws -> (JobID, JobEnd)
  ) async throws -> (job: JobID, status: ExitStatus) {
    let line = wiring.progressLine("done")
    defer { line.end() }
    let told = PosixMutex<Datetime?>(nil)
    let isQuiet = common.quiet
    let (job, end) = try await body { progress in
      line.report(progress)
      // Where no line shows it, hours would pass without a word.
      guard let until = progress.waitsUntil, let wait = progress.wait, !line.isShown, !isQuiet else { return }
      let isNews = told.withLock { last in
        defer { last = until }
        return last != until
      }
      if isNews { StandardError.say(.jobWaiting(progress.job, until: until, wait)) }
    }
    line.end()
    return (job, say(end, of: job))
  }

  private func say(_ end: JobEnd, of job: JobID) -> ExitStatus {
    switch end {
    case .done: return .success
    case .paused:
      StandardError.say(.jobPaused(job))
      return .tryLater
    case .cancelled:
      StandardError.say(.jobCancelled(job))
      return .interrupted
    case .stopped(let stop):
      StandardError.say(.jobStopped(job, stop, account: account.handle))
      return ExitStatus(stop)
    }
  }
}

extension ProgressLine {
  /// Shows how far a job has come.
  fileprivate func report(_ progress: JobProgress) {
    var notes: [String] = []
    let failed = progress.counts[.failed]
    if failed > 0 { notes.append("\(failed) failed") }
    notes.append("\(progress.counts.left) left")
    if progress.counts.pointsLeft > 0 { notes.append("\(progress.counts.pointsLeft) points to go") }
    var waiting: String?
    if let until = progress.waitsUntil, let wait = progress.wait {
      waiting = "waiting until \(until) \(wait.words)"
    }
    if let eta = progress.eta, progress.counts.left > 0 { notes.append("ETA \(eta)") }
    report(progress.counts[.done], of: progress.counts.total, wait: waiting, notes: notes)
  }
}

extension ExitStatus {
  /// The status of a job that something stopped.
  init(_ stop: JobStop) {
    self =
      switch stop.code {
      case .budget, .rateLimited: .tryLater
      case .notAuthorized: .notAllowed
      case .interrupted: .interrupted
      default: .unavailable
      }
  }
}
