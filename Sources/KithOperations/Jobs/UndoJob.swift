// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
public import KithWriting

/// Undoes what a job did, the last one first; an undo is a job of its own. Its row comes at the end.
public struct UndoJob: KithOperation {
  public static let name = "undoJob"

  /// The job; nil for the last change of the account, which may have made no job.
  public var job: JobID?
  /// How the undo is run.
  public var options: JobOptions
  /// Whether more than one change, and what is public, is asked about.
  public var asks: Bool

  public init(_ job: JobID? = nil, options: JobOptions = JobOptions(), asking asks: Bool = false) {
    self.job = job
    self.options = options
    self.asks = asks
  }

  /// How an undo ended.
  public enum Outcome: OperationOutcome {
    /// The undo was run.
    case run(JobRunOutcome)
    /// The job is undone already.
    case undoneBefore(JobID)
    /// The last change made no job, and is taken back: what it did, in one or two words.
    case tookBack(String)

    public var ending: Ending { if case .run(let outcome) = self { outcome.ending } else { .done } }
    public var fields: [OutputField] {
      switch self {
      case .run(let outcome): outcome.fields
      case .undoneBefore(let job): JobRunOutcome.fields(of: job, end: "done")
      case .tookBack(let title): JobRunOutcome.fields(of: nil, end: "done", tookBack: title)
      }
    }
  }

  /// - Throws: ``OperationError`` `declined`, `jobOfAnotherAccount`; without a job also `nothingToUndo`, and
  ///   `lastChangeStays` if the last change is not one to take back: nothing older is undone then.
  ///   ``UnrecordedChangeError``; what `ChangeEngine` throws.
  public func run(in workspace: Workspace, _ report: Reporter<JobRow>) async throws -> Outcome {
    let store = try workspace.jobStore()
    guard let job else {
      let last = try await LastChanges(
        of: try await workspace.account().did, in: store, at: workspace.time.instant
      ).last()
      switch last {
      case .job(let summary): return try await undo(summary, in: store, workspace, report)
      case .other(let last, let reversal):
        try await reversal.carryOut(in: workspace)
        var change = last.change
        (change.outcome, change.reversal) = (.takenBack, nil)
        try await store.remember(change, by: last.account, at: workspace.time.instant)
        return .tookBack(change.title)
      }
    }
    return try await undo(try await store.summary(of: job), in: store, workspace, report)
  }

  private func undo(
    _ summary: JobSummary, in store: any JobStore, _ workspace: Workspace, _ report: Reporter<JobRow>
  ) async throws -> Outcome {
    try await workspace.check(summary.job)
    let account = try await workspace.account(of: summary.job)
    let engine = workspace.engine(of: account, journal: store)
    if summary.job.undoes == nil, summary.counts[.done] + summary.counts[.inDoubt] > 0 {
      let preview = try await UndoPreview(of: summary.job.id, by: engine, as: account, asking: asks)
      if asks, summary.counts[.done] > 1 || preview.isPublic {
        guard try await report.ask(.undo(summary, preview)) else { throw OperationError.declined }
      } else if preview.lostFiles > 0 {
        report.note(.filesNotRestorable(preview.lostFiles))
      }
    }
    let undo: ChangeEngine.Undo
    do { undo = try await engine.undo(summary.job.id) } catch let error as JobError
      where error.code == .undone
    {
      // What was asked for is so: another run has done it, or this is a repetition.
      let summary = try await store.summary(of: summary.job.id)
      try await report.rows(try await workspace.rows([summary], in: store))
      return .undoneBefore(summary.job.id)
    } catch {
      throw UnrecordedChangeError.wrapping(error)
    }
    if undo.goingAlong > 0 { report.note(.undoneAlong(undo.goingAlong)) }
    return .run(try await engine.finish(undo.job.id, options, workspace, report))
  }
}

/// What an account has changed last: its jobs, and the last change that made no job.
///
/// Jobs that this user has undone are left out, so that undo after undo goes back in time. An app, or another process,
/// that shares the journal counts as the account does.
struct LastChanges: Sendable {
  /// The jobs that are not undone, the oldest first.
  private let jobs: [JobSummary]
  /// What made no job; nil if a job was made since, or nothing is remembered.
  private let other: RememberedChange?

  /// - Throws: what the store throws.
  init(of account: DID, in store: any JobStore, at now: Instant) async throws {
    // Read before the jobs: what is remembered meanwhile came after this undo.
    let remembered = try await store.lastChange(by: account)
    // What was not approved has changed nothing.
    let summaries = try await store.summaries(of: account)
      .filter { $0.job.undoes == nil && !$0.job.isUnapproved }.sorted { $0.job.order < $1.job.order }
    let standing = summaries.filter { !$0.isUndoneByHand(at: now) }
    jobs = standing
    other = remembered.flatMap { remembered in
      guard standing.last.map({ $0.job.order <= remembered.newestJob }) ?? true else { return nil }
      // An undone job is not the last change, even if it was resumed or paused last.
      guard let job = remembered.change.job else { return remembered }
      return summaries.contains { $0.job.id == job && $0.isUndoneByHand(at: now) } ? nil : remembered
    }
  }

  /// What an undo without a job takes back.
  enum Last: Sendable {
    case job(JobSummary)
    case other(RememberedChange, ChangeReversal)
  }

  /// The last change.
  ///
  /// - Throws: ``OperationError`` `nothingToUndo`, and `lastChangeStays` with the reason.
  func last() throws(OperationError) -> Last {
    guard let other else {
      guard let newest = jobs.last else { throw .nothingToUndo }
      return .job(try checked(newest))
    }
    let change = other.change
    if let job = change.job {
      guard let found = jobs.first(where: { $0.job.id == job }) else {
        throw .lastChangeStays(change.title, .removed, job: job, older: latest(except: job))
      }
      return .job(try checked(found))
    }
    func stays(_ reason: OperationError.StayingChange) -> OperationError {
      .lastChangeStays(change.title, reason, job: nil, older: latest())
    }
    switch change.outcome {
    case .nothing: throw stays(.changedNothing)
    case .takenBack: throw stays(.isTakenBack)
    case .done:
      guard let reversal = change.reversal.flatMap({ ChangeReversal($0) }) else { throw stays(.isFinal) }
      return .other(other, reversal)
    }
  }

  /// A job that may be undone without being named.
  private func checked(_ summary: JobSummary) throws(OperationError) -> JobSummary {
    // A job that a process runs may be about to change something; the engine says what to do with it. One that is undone
    // by a timer needs nothing.
    guard !summary.hasChanges, summary.holder == nil, summary.counts[.undone] == 0 else { return summary }
    throw .lastChangeStays(
      summary.job.title, summary.job.state.isEnded ? .changedNothing : .isUnfinished, job: summary.job.id,
      older: latest(except: summary.job.id))
  }

  /// The last job that could be undone, except one.
  private func latest(except job: JobID? = nil) -> Job? {
    jobs.last { $0.job.id != job && $0.hasChanges }?.job
  }
}

extension JobSummary {
  /// Whether it has changed something, or may have.
  fileprivate var hasChanges: Bool { counts[.done] > 0 || counts[.inDoubt] > 0 }

  /// Whether nothing of it stands, because it was undone by this user or an app, not by a timer at its end.
  fileprivate func isUndoneByHand(at now: Instant) -> Bool {
    counts[.undone] > 0 && !hasChanges && counts.left == 0 && job.until.map { $0.instant > now } ?? true
  }
}
