// SPDX-License-Identifier: Apache-2.0

package import KithClient
package import KithCore
package import KithRelationships

/// The journal of changes: what is planned, what was begun, and the outcomes.
///
/// ``InMemoryJobStore`` keeps it as long as the process lasts. `SQLiteJobStore` keeps it for all processes of
/// a user; each of its methods is one transaction that survives a crash once the method has returned.
/// All methods throw ``JobError`` about the job, and the store's own error if it
/// cannot read or write.
package protocol JobStore: Sendable {
  // MARK: The write budget, across all jobs and processes

  /// Returns what the account may spend.
  ///
  /// - Parameter kinds: the changes that count against the limit of changes; nil for all.
  func budget(
    of account: DID, within limit: WriteLimit, counting kinds: Set<ChangeKind>?, at now: Instant
  ) async throws -> WriteBudget

  /// Stores what the server reported, so that every process knows; fields that are not about points are
  /// ignored.
  ///
  /// - Parameter now: when it was reported.
  func observed(_ rateLimit: RateLimit, of account: DID, at now: Instant) async throws

  // MARK: Servers

  /// Returns the server that has given new records of the account keys of its own; nil if it kept them the last time.
  func serverChoosingKeys(of account: DID) async throws -> String?

  /// Stores which server gives new records of the account keys of its own; nil for none.
  func note(serverChoosingKeys server: String?, of account: DID) async throws

  // MARK: Adding jobs

  /// Creates a job with its first items.
  ///
  /// - Parameter isWhole: whether these are all items. If so, the job is `waiting`; otherwise it is
  ///   `preparing` until ``seal(_:)``.
  func create(_ draft: JobDraft, _ items: [JobItemDraft], isWhole: Bool, at now: Instant) async throws -> Job

  /// Appends items to a job that is `preparing`.
  func append(_ items: [JobItemDraft], to job: JobID) async throws

  /// Ends the preparation: the job is `waiting`.
  func seal(_ job: JobID) async throws -> Job

  // MARK: Proposals

  /// Journals a plan that waits to be approved: a job that is `proposed` and has no items. Copies of files that its
  /// steps need are bound to it.
  func propose(
    _ draft: JobDraft, _ proposal: JobProposal, _ requests: [ProposedRequest], at now: Instant
  ) async throws -> Job

  /// Returns the jobs of all accounts that are `proposed`, oldest first.
  func proposals() async throws -> [Job]

  /// Returns requests of a proposal in order: at most this many, after some. An approved one has none.
  func requests(of job: JobID, after count: Int, most: Int) async throws -> [ProposedRequest]

  /// Gives a job that is `proposed` its items, all or nothing, and takes the next number in the order of jobs for it. It
  /// is `waiting` then, or `done` without items.
  ///
  /// - Parameters:
  ///   - until: when its changes are to be undone; nil if they are permanent.
  ///   - limit: how much of the write budget it may use; nil for what was proposed.
  /// - Throws: ``JobError/Code/notProposed``.
  func approve(
    _ job: JobID, _ items: [JobItemDraft], until: Datetime?, limit: WriteLimit?, at now: Instant
  ) async throws -> Job

  /// Cancels a job that is `proposed`.
  ///
  /// - Parameter note: why; nil if it was rejected.
  /// - Throws: ``JobError/Code/notProposed``.
  func reject(_ job: JobID, note: String?, at now: Instant) async throws -> Job

  /// Removes a job and everything stored about it; it must be `preparing` or ended.
  func remove(_ job: JobID) async throws

  // MARK: Looking up

  /// Returns the job.
  func job(_ job: JobID) async throws -> Job

  /// Returns the jobs of all accounts that have not ended or ended after a moment, without those being
  /// prepared or proposed, oldest first.
  func jobs(endedAfter moment: Instant) async throws -> [Job]

  /// Returns all jobs, or those of one account, oldest first, with counts and without an ETA.
  func summaries(of account: DID?) async throws -> [JobSummary]

  /// Returns one job with its counts, without an ETA.
  func summary(of job: JobID) async throws -> JobSummary

  /// Returns the jobs of all accounts that are not fully recorded: a process records them now, or has ended
  /// before it could.
  func preparing() async throws -> [Job]

  /// Returns items in order of position: those of some states, after a position, and at most this many.
  func items(
    of job: JobID, in kinds: Set<JobItemState.Kind>, after position: Int?, most: Int
  ) async throws -> [JobItem]

  /// Returns the latest job that undoes this one and has not ended.
  func undo(of job: JobID) async throws -> Job?

  /// Returns whether a later job repeated or undid the item's call, so that the item no longer describes the
  /// current state.
  func isSuperseded(_ item: JobItem, of job: JobID) async throws -> Bool

  /// Returns what jobs of the account have done to subjects, or are about to do, and have not undone. Entries
  /// are in the order of the jobs; subjects without entries are left out.
  func history(
    of subjects: [ChangeStep.Subject], by account: DID
  ) async throws -> [ChangeStep.Subject: [JobHistoryEntry]]

  /// Returns the versions of the account's own requests about which nothing is left to do: those of steps that were sent
  /// and not refused by the server, whatever became of them since, and those of ``settle(_:of:)``. Removing jobs does not
  /// change that.
  func settledRequests(of account: DID) async throws -> Set<RecordVersion>

  /// Remembers that nothing is left to do about versions of the account's own requests.
  func settle(_ requests: Set<RecordVersion>, of account: DID) async throws

  /// Returns a number that grows whenever something is done. A repository that is read after this call is at
  /// least as new as everything that jobs had done by then.
  func revision() async throws -> Int64

  /// Returns the jobs of all accounts that have expired changes which are in effect and not undone, earliest
  /// first.
  func due(at now: Instant) async throws -> [DueJob]

  /// Returns what jobs of the account, or of all, did or are about to do, and that has an end or mutes a part; without
  /// what was undone since, by another job or by an undo that found it changed. Earliest end first, the others last.
  func standing(of account: DID?) async throws -> [TimedChange]

  // MARK: What makes no job

  /// Remembers the last change that made no job, in place of the one before, of an account or of all of them.
  ///
  /// - Parameter account: nil for what concerns all accounts.
  func remember(_ change: LastChange, by account: DID?, at now: Instant) async throws

  /// Returns what was remembered last, by the account or for all accounts; nil if nothing was.
  func lastChange(by account: DID) async throws -> RememberedChange?

  // MARK: Files that changes cost

  /// Keeps a copy of a file, for the undo of a job to be created soon. Creating a job that lets go of the file binds the
  /// copy to the job, and it is removed with the job; a copy that no job needs is removed after a day.
  ///
  /// - Returns: false if there is no room for it.
  func keep(_ bytes: [UInt8], as file: CID, at now: Instant) async throws -> Bool

  /// Returns the files of which there is a copy.
  func keptFiles(among files: Set<CID>) async throws -> Set<CID>

  /// Returns the copy of a file; nil if there is none. It may be damaged: compare its hash.
  func file(_ file: CID) async throws -> [UInt8]?

  // MARK: Ends after a restore

  /// Returns when a backup took the place of the journal, if what it says is due must not end unattended: until
  /// ``releaseEnds()``.
  func endsHeldSince() async throws -> Instant?

  /// Lets nothing end unattended that is due, because the journal comes from elsewhere.
  func holdEnds(since moment: Instant) async throws

  /// Lets what is due end again.
  func releaseEnds() async throws

  // MARK: Leases

  /// Takes the exclusive lease to plan and journal changes of an account, because two concurrent planners
  /// would plan the same changes twice. It ends with the process.
  ///
  /// - Throws: ``JobError/Code/held``, which names the holder.
  func leasePlanning(of account: DID, at now: Instant) async throws -> any JobLease

  /// Takes the exclusive lease to run a job; it ends with the process.
  ///
  /// - Throws: ``JobError/Code/held``, which names the holder.
  func lease(_ job: JobID, at now: Instant) async throws -> any JobLease

  // MARK: Running

  /// Starts a job that is `waiting`, `running` or `paused`. A cancelled job with items in doubt stays
  /// cancelled and can be run to settle them.
  ///
  /// - Parameter limit: how much of the write budget it may use from now on; nil to keep its limit.
  func start(_ job: JobID, limit: WriteLimit?) async throws -> Job

  /// Marks the items of a commit as in doubt and sets its points aside, before it is sent. A `waiting` job
  /// becomes `running`. A commit of the same number that is already in doubt is begun again; its points are
  /// set aside only once, with the new time. Steps may be smaller than planned, and are journaled as they are
  /// sent.
  ///
  /// - Parameters:
  ///   - limit: what the account may spend.
  ///   - revision: the journal's revision from before the facts were read that the items are based on.
  func begin(
    _ commit: JobCommit, of job: JobID, within limit: WriteLimit, asOf revision: Int64, at now: Instant
  ) async throws -> CommitReservation

  /// Journals an outcome. When the items of an undo are done, the items that they undo become `undone`. A
  /// running job with nothing left becomes `done`. Cancelled items stay cancelled.
  ///
  /// - Returns: the new state of the job.
  @discardableResult
  func record(_ outcome: JobOutcome, of job: JobID, at now: Instant) async throws -> JobState

  /// Records that the job is not being run any longer, and why; it only becomes `done` if nothing is left.
  func stop(_ job: JobID, as state: JobState, note: String?, at now: Instant) async throws

  /// Pauses a job that is `waiting` or `running`; its runner notices before the next commit.
  func pause(_ job: JobID) async throws -> Job

  /// Cancels pending items; those in doubt stay so until the job is run again.
  func cancel(_ job: JobID, at now: Instant) async throws -> Job

  /// Cancels pending items that a later change contradicts; a job with nothing left becomes `done`.
  ///
  /// - Returns: the positions of the items that are cancelled now; the others were not pending any longer.
  func withdraw(_ items: Set<Int>, of job: JobID, at now: Instant) async throws -> Set<Int>

  /// Makes failed items pending again, and the job `waiting`.
  ///
  /// - Returns: the number of those items.
  func retryFailed(_ job: JobID) async throws -> Int

  /// Carries out the pending changes of ends of a job, which nothing has to be sent for. One is skipped if its item
  /// has got another end meanwhile, or was undone. A job with nothing left becomes `done`.
  ///
  /// - Returns: the new states, by position.
  func moveEnds(of job: JobID, at now: Instant) async throws -> [Int: JobItemState]

  /// Removes everything that is stored about an account, at once: its jobs in any state, what they have settled, its last
  /// change, the points that it has spent, and copies of files that only its jobs need. Takes no leases.
  ///
  /// - Returns: the removed jobs.
  @discardableResult func forget(_ account: DID) async throws -> [JobID]

  /// Removes jobs that ended before a moment, each together with the jobs that undid it, and proposals that expired
  /// before it. Jobs are kept if anything of them is due or in doubt, if they are in use, or if their calls replaced
  /// calls of a timed job that is kept.
  ///
  /// - Returns: the removed jobs.
  func prune(endedBefore moment: Instant) async throws -> [JobID]
}
