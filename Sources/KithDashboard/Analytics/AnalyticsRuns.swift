// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithInsights
import KithOperations
import KithWording

/// What pages of analytics have begun: snapshots, and readings of posts and followers. They go on when the page is closed.
final class AnalyticsRuns: Sendable {
  /// What is read.
  enum Subject: Hashable {
    case snapshot(DID)
    /// Posts of a period, and a sample of the followers.
    case survey(DID, AnalyticsPeriod)

    fileprivate var account: DID {
      switch self {
      case .snapshot(let account), .survey(let account, _): account
      }
    }
  }

  /// How far a run has come.
  enum Progress {
    /// It goes on, with the number of entries that it has read.
    case running(since: Instant, read: Int)
    /// It has ended, with sentences that say what could not be read.
    case ended(at: Instant, faults: [String])
  }

  private struct State {
    var progress: [Subject: Progress] = [:]
    var surveys: [Subject: AccountInsights] = [:]
  }

  /// The most periods of which surveys are kept.
  private static let mostSurveys = 12

  private let jobs: JobsInServer
  private let time: TimeSource
  private let state = PosixMutex(State())

  init(_ jobs: JobsInServer, time: TimeSource) { (self.jobs, self.time) = (jobs, time) }

  /// How a run goes; nil if none has begun.
  func progress(_ subject: Subject) -> Progress? { state.withLock { $0.progress[subject] } }

  /// What a survey has found; nil if it has not ended yet.
  func survey(_ subject: Subject) -> AccountInsights? { state.withLock { $0.surveys[subject] } }

  /// Begins to take a snapshot of an account, unless one is being taken.
  func takeSnapshot(of account: AccountInUse) {
    begin(.snapshot(account.did)) { progress in
      let run = try await GatheredRun(
        TakeSnapshots(of: .these([account.did])), in: account.workspace, most: 100, endingThere: false,
        progress: progress)
      return run.notes.map(\.note).filter { $0.level != .note }.compactMap(\.sentence)
    }
  }

  /// Begins a survey, unless it is being made.
  func survey(_ account: AccountInUse, _ period: AnalyticsPeriod, _ statistics: ComputeStatistics) {
    let subject = Subject.survey(account.did, period)
    begin(subject) { [self] progress in
      let run = try await GatheredRun(
        statistics, in: account.workspace, most: 1, endingThere: false, progress: progress)
      keep(run.outcome.insights, of: subject)
      // What it lacks is said with its figures.
      return []
    }
  }

  private func keep(_ survey: AccountInsights, of subject: Subject) {
    state.withLock { state in
      state.surveys[subject] = survey
      while state.surveys.count > Self.mostSurveys,
        let oldest = state.surveys.min(by: { $0.value.at < $1.value.at })
      {
        state.surveys[oldest.key] = nil
        state.progress[oldest.key] = nil
      }
    }
  }

  private func begin(
    _ subject: Subject,
    _ work:
      @escaping @Sendable (_ progress: @escaping @Sendable (RunProgress) -> Void) async throws -> [String]
  ) {
    let start = time.instant
    let isNew = state.withLock { state in
      if case .running = state.progress[subject] { return false }
      state.progress[subject] = .running(since: start, read: 0)
      return true
    }
    guard isNew else { return }
    tell(subject)
    jobs.begin { [self] in
      var faults: [String]
      do {
        faults = try await work { [self] progress in
          guard case .reached(let count) = progress else { return }
          state.withLock { $0.progress[subject] = .running(since: start, read: count) }
        }
      } catch { faults = [Failure(error).sentence] }
      let end = time.instant
      state.withLock { [faults] in $0.progress[subject] = .ended(at: end, faults: faults) }
      tell(subject)
    }
  }

  /// Tells the pages that show an account.
  private func tell(_ subject: Subject) {
    jobs.events.publish(DashboardEvent(.history, [OutputField("actor", .text(subject.account))]))
  }
}
