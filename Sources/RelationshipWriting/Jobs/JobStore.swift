// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// The journal of changes: what is planned, what was begun, and what became of it.
///
/// ``InMemoryJobStore`` keeps it as long as the process lasts; `SQLiteJobStore` keeps it for all processes of a user,
/// and each of its methods is one transaction that survives a crash once it has returned. Times are microseconds
/// since 1970. All throw ``JobError`` about the job, and the store's own error where it cannot read or write.
public protocol JobStore: WriteBudgetStore {
  // MARK: Writing jobs down

  /// Makes a job with its first items.
  ///
  /// - Parameter isWhole: whether these are all: then it waits to be run. Else it is `preparing`, until ``seal(_:)``.
  func create(_ draft: JobDraft, _ items: [JobItemDraft], isWhole: Bool, at now: Int64) async throws -> Job

  /// Adds items behind those that are there; the job is `preparing`.
  func append(_ items: [JobItemDraft], to job: JobID) async throws

  /// Ends the preparation: the job waits to be run.
  func seal(_ job: JobID) async throws -> Job

  /// Takes a job away with all that is known of it; it is `preparing` or ended.
  func remove(_ job: JobID) async throws

  // MARK: Looking up

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
  func history(
    of subjects: [ChangeStep.Subject], by account: DID
  ) async throws -> [ChangeStep.Subject: [JobHistoryEntry]]

  /// A number that grows whenever something is done: what was read of a repository after it was asked for is at least
  /// as new as all that jobs had done by then.
  func revision() async throws -> Int64

  /// Jobs of which something has come to its end, of all accounts, the earliest first: what they did stands and nobody
  /// has undone it.
  func due(at now: Int64) async throws -> [DueJob]

  // MARK: Leases

  /// Takes the sole right to find out what changes of an account take and to write them down: two that do so at once
  /// would plan the same twice. It dies with the process.
  ///
  /// - Throws: ``JobError/Code/held``, which names who has it.
  func leasePlanning(of account: DID, at now: Int64) async throws -> any JobLease

  /// Takes the sole right to run a job; it dies with the process.
  ///
  /// - Throws: ``JobError/Code/held``, which names who has it.
  func lease(_ job: JobID, at now: Int64) async throws -> any JobLease

  // MARK: Running

  /// Lets a job run that is `waiting`, `running` or `paused`. One that is cancelled and has items in doubt stays
  /// cancelled, so that they can be settled.
  ///
  /// - Parameter limit: how much of the write budget it may use from now on; nil for as before.
  func start(_ job: JobID, limit: WriteLimit?) async throws -> Job

  /// Marks the items of a commit as in doubt and sets its points aside, before it is sent. A job that waits runs from
  /// then on. A commit of the same number that is in doubt already is begun again, with its points set aside anew and
  /// not twice. Steps may be less than what was planned, and are written down as they are sent.
  ///
  /// - Parameters:
  ///   - limit: what the account may spend.
  ///   - revision: the journal's, from before the facts were read on which the items rest.
  func begin(
    _ commit: JobCommit, of job: JobID, within limit: WriteLimit, asOf revision: Int64, at now: Int64
  ) async throws -> CommitReservation

  /// Writes the outcome down. Items that took back others make those `undone` when they are done. A running job of
  /// which nothing is left is `done` with that.
  ///
  /// - Returns: the state of the job from then on.
  @discardableResult
  func record(_ outcome: JobOutcome, of job: JobID, at now: Int64) async throws -> JobState

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

  /// Gives what items did another end, or none.
  ///
  /// - Parameter until: nil where it is to last.
  func setEnd(of items: [Int], in job: JobID, to until: Datetime?) async throws

  /// Takes away ended jobs that ended before a moment and of which nothing is due or in doubt, each together with
  /// those that undid it; one that somebody has in use stays, and so does one whose calls took the place of those of a
  /// timed job that stays.
  ///
  /// - Returns: those that are gone.
  func prune(endedBefore moment: Int64) async throws -> [JobID]
}
