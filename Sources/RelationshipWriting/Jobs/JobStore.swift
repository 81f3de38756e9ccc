// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// Where jobs are journaled, for all processes of a user.
///
/// Each method is one transaction that survives a crash once it has returned. Times are microseconds since 1970.
/// All throw ``JobError`` about the job, and the store's own error where it cannot read or write.
public protocol JobStore: WriteBudgetStore {
  /// Makes a job without items, in state `preparing`.
  func create(_ draft: JobDraft, at now: Int64) async throws -> Job

  /// Adds items behind those that are there; the job is `preparing`.
  func append(_ items: [JobItemDraft], to job: JobID) async throws

  /// Ends the preparation: the job waits to be run.
  func seal(_ job: JobID) async throws -> Job

  /// Takes a job away with all that is known of it; it is `preparing` or ended.
  func remove(_ job: JobID) async throws

  /// The job.
  func job(_ job: JobID) async throws -> Job

  /// All jobs, or those of one account, the oldest first, with counts and without an ETA.
  func summaries(of account: DID?) async throws -> [JobSummary]

  /// One job with its counts, without an ETA.
  func summary(of job: JobID) async throws -> JobSummary

  /// Items in order of their places; only those of some states, beyond a place, and not more than so many.
  func items(
    of job: JobID, in kinds: Set<JobItemState.Kind>, after position: Int?, most: Int
  ) async throws -> [JobItem]

  /// The latest job that undoes this one and has not ended.
  func undo(of job: JobID) async throws -> Job?

  /// Whether a later job made the item's call anew or took it back, so that the item no longer holds what is.
  func isSuperseded(_ item: JobItem, of job: JobID) async throws -> Bool

  /// What jobs of the account have done to subjects, or are about to do, and have not taken back; in the order of
  /// the jobs, subjects without any left out.
  func traces(of subjects: [DID], by account: DID) async throws -> [DID: [JobHistoryEntry]]

  /// Takes the sole right to find out what changes take and to write them down: two that do so at once would plan
  /// the same twice. It dies with the process.
  ///
  /// - Throws: ``JobError/Code/held``, which names who has it.
  func claimPlanning(at now: Int64) async throws -> any JobLease

  /// Jobs whose end has come, of all accounts, the earliest first: what they did stands and nobody has undone it.
  func due(at now: Int64) async throws -> [DueJob]

  /// Takes the sole right to run a job; it dies with the process.
  ///
  /// - Throws: ``JobError/Code/held``, which names who has it.
  func claim(_ job: JobID, at now: Int64) async throws -> any JobLease

  /// Lets a job run that is `waiting`, `running` or `paused`. One that is cancelled and has items in doubt stays
  /// cancelled, so that they can be settled.
  func start(_ job: JobID) async throws -> Job

  /// Marks the items of a commit as in doubt and sets its points aside, before it is sent. A commit of the same
  /// number that is in doubt already is begun again, with its points set aside anew and not twice. Steps may be
  /// less than what was planned, and are written down as they are sent.
  func begin(
    _ commit: JobCommit, of job: JobID, within allowance: WriteLimit, at now: Int64
  ) async throws -> CommitReservation

  /// Writes the outcome down. Items that took back others make those `undone` when they are done.
  func record(_ outcome: JobOutcome, of job: JobID) async throws

  /// Writes down that nobody runs the job any more, and why; `done` only where nothing is left.
  func stop(_ job: JobID, as state: JobState, note: String?, at now: Int64) async throws

  /// Holds a job back that is `waiting` or `running`; who runs it notices before the next commit.
  func pause(_ job: JobID) async throws -> Job

  /// Gives up what is pending; what is in doubt stays so until the job is run once more.
  func cancel(_ job: JobID, at now: Int64) async throws -> Job

  /// Makes failed items pending again, and the job `waiting`.
  ///
  /// - Returns: how many.
  func retryFailed(_ job: JobID) async throws -> Int

  /// Takes away ended jobs that ended before a moment and of which nothing is due or in doubt, each together with
  /// those that undid it; one that somebody has in use stays.
  ///
  /// - Returns: those that are gone.
  func prune(endedBefore moment: Int64) async throws -> [JobID]
}
