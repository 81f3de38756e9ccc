// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// A journaled bulk change that survives crashes.
public struct Job: Sendable, Hashable {
  /// The number of the job.
  public var id: JobID
  /// The account whose records it changes.
  public var account: DID
  /// What it does, as named by its creator: `follow`.
  public var title: String
  /// How far it has come.
  public var state: JobState
  /// When it was created.
  public var createdAt: Datetime
  /// When the last of its changes is to be undone; nil if they are permanent.
  public var until: Datetime?
  /// How much of the write budget it may use; nil for the default.
  public var limit: WriteLimit?
  /// The kinds of its changes, of which others count against its limit of changes; nil if an earlier version created it.
  package var kinds: Set<ChangeKind>?
  /// The job that it undoes, if it is an undo.
  public var undoes: JobID?
  /// What was proposed; nil for a job that did not wait for an approval.
  public var proposal: JobProposal?
  /// The number in the order of jobs that it took when it was approved; no other job has it. Nil if it was not proposed,
  /// or is not approved.
  package var approvedAs: JobID?
  /// When it was done or cancelled.
  public var endedAt: Datetime?
  /// Why it stopped, as a phrase; nil if nothing stopped it.
  public var note: String?

  /// Creates a job that is permanent and undoes none, such as for a test of a view; its other properties can be set.
  public init(id: JobID, account: DID, title: String, state: JobState, createdAt: Datetime) {
    self.init(id: id, account: account, title: title, state: state, createdAt: createdAt, until: nil)
  }

  /// Creates a job.
  package init(
    id: JobID, account: DID, title: String, state: JobState, createdAt: Datetime,
    until: Datetime? = nil, limit: WriteLimit? = nil, kinds: Set<ChangeKind>? = nil, undoes: JobID? = nil,
    proposal: JobProposal? = nil, approvedAs: JobID? = nil, endedAt: Datetime? = nil, note: String? = nil
  ) {
    self.id = id
    self.account = account
    self.title = title
    self.state = state
    self.createdAt = createdAt
    self.until = until
    self.limit = limit
    self.kinds = kinds
    self.undoes = undoes
    self.proposal = proposal
    self.approvedAs = approvedAs
    self.endedAt = endedAt
    self.note = note
  }

  /// Its place in the order in which jobs were planned: that of its number, or of its approval.
  package var order: JobID { approvedAs ?? id }

  /// Whether it changes nothing unless it is approved: it is proposed, or was rejected, or has expired.
  package var isUnapproved: Bool { proposal != nil && approvedAs == nil }
}

/// How far a job has come.
public enum JobState: String, Sendable, Hashable, CaseIterable {
  /// Its items are being added, and nothing is sent. If its process has died, the job never began.
  case preparing
  /// It waits to be approved: it has no items, and holds nothing up.
  case proposed
  /// All items are added; it is ready to be run.
  case waiting
  /// It is being run, or its process died; then it can be resumed at once.
  case running
  /// Paused until it is resumed.
  case paused
  /// Nothing is left to do.
  case done
  /// The rest was cancelled.
  case cancelled

  /// Whether nothing more is sent.
  public var isEnded: Bool { self == .done || self == .cancelled }

  /// Whether it can be run, or continued. What is proposed has to be approved first.
  public var isRunnable: Bool { self == .waiting || self == .running || self == .paused }
}

/// The description of a new job.
package struct JobDraft: Sendable, Hashable {
  /// The account whose records it changes.
  package var account: DID
  /// What it does: `follow`.
  package var title: String
  /// When its changes are to be undone; nil if they are permanent.
  package var until: Datetime?
  /// How much of the write budget it may use; nil for the default.
  package var limit: WriteLimit?
  /// The job that it undoes, if it is an undo.
  package var undoes: JobID?

  /// Creates a draft.
  package init(
    account: DID, title: String, until: Datetime? = nil, limit: WriteLimit? = nil, undoes: JobID? = nil
  ) {
    self.account = account
    self.title = title
    self.until = until
    self.limit = limit
    self.undoes = undoes
  }
}

/// The number of items of a job by state, and the points still to be paid.
public struct JobCounts: Sendable, Hashable {
  private var items: [JobItemState.Kind: Int] = [:]
  /// Points of the write budget for the items that are not settled.
  public private(set) var pointsLeft = 0

  /// Creates counts, by default empty ones.
  ///
  /// - Parameter pointsLeft: points of the write budget for the items that are not settled.
  public init(_ items: [JobItemState.Kind: Int] = [:], pointsLeft: Int = 0) {
    (self.items, self.pointsLeft) = (items, pointsLeft)
  }

  /// The number of items in this state.
  public subscript(kind: JobItemState.Kind) -> Int { items[kind] ?? 0 }

  /// All items.
  public var total: Int { items.values.reduce(0, +) }

  /// Items that still have to be done or settled.
  public var left: Int { self[.pending] + self[.inDoubt] }

  /// Adds items of a state; a negative number subtracts.
  ///
  /// - Parameter points: what they cost together.
  package mutating func add(_ count: Int, _ kind: JobItemState.Kind, points: Int) {
    items[kind, default: 0] += count
    if kind == .pending || kind == .inDoubt { pointsLeft += points }
  }

  /// Moves items from one state to another.
  mutating func move(
    _ count: Int, from former: JobItemState.Kind, to kind: JobItemState.Kind, points: Int
  ) {
    add(-count, former, points: -points)
    add(count, kind, points: points)
  }
}

/// A job, its progress, and the process that holds it.
public struct JobSummary: Sendable, Hashable {
  /// The job.
  public var job: Job
  /// Its items by state.
  public var counts: JobCounts
  /// The process that holds its lease; nil if none does.
  public var holder: LeaseOwner?
  /// When everything will be done if only the write budget delays it; nil if nothing is left or that never
  /// happens.
  public var eta: Datetime?

  /// Creates a summary.
  public init(job: Job, counts: JobCounts, holder: LeaseOwner? = nil, eta: Datetime? = nil) {
    self.job = job
    self.counts = counts
    self.holder = holder
    self.eta = eta
  }
}

/// A timed change that has expired.
public struct DueJob: Sendable, Hashable {
  /// The job that made the change.
  public var job: Job
  /// The job that undoes it, if one was started.
  public var undo: JobID?

  /// Creates a due job.
  public init(job: Job, undo: JobID? = nil) {
    self.job = job
    self.undo = undo
  }
}
