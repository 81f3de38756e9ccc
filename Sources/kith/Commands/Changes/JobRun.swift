// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithStore
import KithWriting

/// Runs a job with progress output, and reports how it ended.
struct JobRun {
  let wiring: Wiring
  let points: PointOptions
  let engine: ChangeEngine
  /// Whether it is a single change, for which a user may be waiting at a terminal.
  var isWatched = false

  var common: CommonOptions { wiring.common }

  /// How a run ended.
  struct Ending: Sendable {
    /// The status, without failures of individual items.
    let status: ExitStatus
    /// The final message; nil for none.
    let message: Message?
  }

  /// The longest wait that a quiet run does not mention.
  private static let longestSilence: Duration = .seconds(60)

  /// How long to retry while a user waits at a terminal for a single change.
  private static let watchedPatience = Duration.seconds(30)

  private var options: JobOptions {
    let isWatched = isWatched && OutputDescriptor.standardError.isTerminal
    return points.runnerOptions(
      patience: isWatched ? Self.watchedPatience : JobOptions.usualPatience)
  }

  /// Runs a job until it ends or stops.
  ///
  /// - Parameters:
  ///   - facts: the facts it was planned with, if that was just now.
  ///   - line: shows the progress.
  ///   - take: receives outcomes of items.
  ///   - end: called after the last outcome.
  func run(
    _ job: JobID, plannedBy facts: FactsStamp? = nil, on line: ProgressLine,
    taking take: @escaping @Sendable (JobProgress) -> Void = { _ in },
    end: @Sendable () -> Void = {}
  ) async throws -> Ending {
    defer { end() }
    let told = PosixMutex<Datetime?>(nil)
    do {
      let end = try await engine.run(job, plannedBy: facts, options: options) { progress in
        if !progress.outcomes.isEmpty { take(progress) }
        show(progress, on: line, told)
      }
      return try await ending(end, of: job)
    } catch let error as StoreError {
      line.end()
      StandardError.say(.jobInterrupted(job))
      throw error
    }
  }

  /// Undoes a timed change that is due.
  ///
  /// - Returns: the status, including items that could not be undone, because the job is not due again.
  func end(_ due: DueJob) async throws -> ExitStatus {
    let line = wiring.progressLine("done")
    defer { line.end() }
    let told = PosixMutex<Datetime?>(nil)
    let (job, end) = try await engine.end(due, options: options) { show($0, on: line, told) }
    line.end()
    let ending = try await ending(end, of: job.id)
    if let message = ending.message { StandardError.say(message) }
    let summary = try await engine.journal.summary(of: job.id)
    // Failures of the original change do not affect the undo.
    return summary.job.undoes == nil ? ending.status : ending.status.orMoreSevere(summary.tellOfFailures())
  }

  private func show(_ progress: JobProgress, on line: ProgressLine, _ told: PosixMutex<Datetime?>) {
    line.report(progress)
    // Without a progress line, a long wait needs a message: a very long one even in a quiet run, which would
    // otherwise look like a hang.
    guard let until = progress.waitsUntil, let wait = progress.wait, !line.isShown else { return }
    let rest = until.instant - wiring.time.instant
    if common.quiet, rest < Self.longestSilence { return }
    let isNews = told.withLock { last in
      defer { last = until }
      return last != until
    }
    if isNews { StandardError.say(.jobWaiting(progress.job, until: until, wait)) }
  }

  private func ending(_ end: JobEnd, of job: JobID) async throws -> Ending {
    switch end {
    case .done: return Ending(status: .success, message: nil)
    case .paused: return Ending(status: .tryLater, message: .jobPaused(job))
    case .cancelled: return Ending(status: .interrupted, message: .jobCancelled(job))
    case .stopped(let stop):
      let handle = try await wiring.workspace.account().handle
      return Ending(status: ExitStatus(stop), message: .jobStopped(job, stop, account: handle))
    }
  }
}

extension ProgressLine {
  /// Shows the progress of a job.
  fileprivate func report(_ progress: JobProgress) {
    var notes: [String] = []
    let failed = progress.counts[.failed]
    if failed > 0 { notes.append("\(failed) failed") }
    notes.append("\(progress.counts.left) left")
    if progress.counts.pointsLeft > 0 { notes.append("\(progress.counts.pointsLeft) points left") }
    var waiting: String?
    if let until = progress.waitsUntil, let wait = progress.wait {
      waiting = "waiting until \(MomentText.at(until)) \(wait.words)"
    }
    if let eta = progress.eta, progress.counts.left > 0 { notes.append("done \(MomentText.relative(eta))") }
    report(progress.counts[.done], of: progress.counts.total, wait: waiting, notes: notes)
  }
}

extension ExitStatus {
  /// The status of a stopped job.
  init(_ stop: JobStop) {
    self =
      switch stop.code {
      case .budget, .rateLimited: .tryLater
      case .notAuthorized, .notPermitted: .notAllowed
      case .interrupted: .interrupted
      default: .unavailable
      }
  }
}
