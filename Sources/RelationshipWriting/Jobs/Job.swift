// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// A bulk change, journaled, that survives any crash.
public struct Job: Sendable, Hashable {
  /// Its number.
  public var id: JobID
  /// Whose records it changes.
  public var account: DID
  /// What it does, in the words of whoever made it: `follow`.
  public var title: String
  /// How far it has come.
  public var state: JobState
  /// When it was made.
  public var createdAt: Datetime
  /// When the last of what it did is to be undone again; nil where all of it is to last.
  public var until: Datetime?
  /// How much of the write budget it may use; nil for what is usual.
  public var limit: WriteLimit?
  /// The job that it undoes, where it does.
  public var undoes: JobID?
  /// When it was done or given up.
  public var endedAt: Datetime?
  /// Why it stands still, where something made it; as a half-sentence.
  public var note: String?

  /// Puts a job together.
  public init(
    id: JobID, account: DID, title: String, state: JobState, createdAt: Datetime,
    until: Datetime? = nil, limit: WriteLimit? = nil, undoes: JobID? = nil, endedAt: Datetime? = nil,
    note: String? = nil
  ) {
    self.id = id
    self.account = account
    self.title = title
    self.state = state
    self.createdAt = createdAt
    self.until = until
    self.limit = limit
    self.undoes = undoes
    self.endedAt = endedAt
    self.note = note
  }
}

/// The number of a job in its store, as it is typed: `7`. Never used again for another job.
public struct JobID: Sendable, Hashable {
  /// The number, from 1 on.
  public let number: Int64

  /// Names the job of that number.
  public init(number: Int64) { self.number = number }
}

extension JobID: LosslessStringConvertible {
  /// Reads a number from 1 on, or nil where the text is none.
  public init?(_ description: String) {
    guard let number = Int64(description), number > 0, description == "\(number)" else { return nil }
    self.number = number
  }

  public var description: String { "\(number)" }
}

extension JobID: Comparable {
  public static func < (one: JobID, other: JobID) -> Bool { one.number < other.number }
}

/// How far a job has come.
public enum JobState: String, Sendable, Hashable, CaseIterable {
  /// Its items are being written down and nothing is sent; where nobody does so any more, it never began.
  case preparing
  /// All is written down; it runs as soon as somebody runs it.
  case waiting
  /// Somebody runs it, or did so and died: then it can be resumed at once.
  case running
  /// Held back until somebody resumes it.
  case paused
  /// Nothing is left to do.
  case done
  /// What was left was given up.
  case cancelled

  /// Whether nothing more is sent.
  public var isEnded: Bool { self == .done || self == .cancelled }
}

/// What a new job is to be.
public struct JobDraft: Sendable, Hashable {
  /// Whose records it changes.
  public var account: DID
  /// What it does: `follow`.
  public var title: String
  /// When what it did is to be undone again; nil where it is to last.
  public var until: Datetime?
  /// How much of the write budget it may use; nil for what is usual.
  public var limit: WriteLimit?
  /// The job that it undoes, where it does.
  public var undoes: JobID?

  /// Puts a draft together.
  public init(
    account: DID, title: String, until: Datetime? = nil, limit: WriteLimit? = nil, undoes: JobID? = nil
  ) {
    self.account = account
    self.title = title
    self.until = until
    self.limit = limit
    self.undoes = undoes
  }
}

/// How many items of a job are in which state, and what is left to pay.
public struct JobCounts: Sendable, Hashable {
  private var items: [JobItemState.Kind: Int] = [:]
  /// Points of the write budget that the items cost which are not settled.
  public private(set) var pointsLeft = 0

  /// Counts nothing.
  public init() {}

  /// How many are in that state.
  public subscript(kind: JobItemState.Kind) -> Int { items[kind] ?? 0 }

  /// All items.
  public var total: Int { items.values.reduce(0, +) }

  /// Those that are still to be done or settled.
  public var left: Int { self[.pending] + self[.inDoubt] }

  /// Counts more items of a state; less, with a negative number.
  ///
  /// - Parameter points: what they cost together.
  public mutating func add(_ count: Int, _ kind: JobItemState.Kind, points: Int) {
    items[kind, default: 0] += count
    if kind == .pending || kind == .inDoubt { pointsLeft += points }
  }

  /// Counts items in another state than the one in which they were counted.
  mutating func move(
    _ count: Int, from former: JobItemState.Kind, to kind: JobItemState.Kind, points: Int
  ) {
    add(-count, former, points: -points)
    add(count, kind, points: points)
  }
}

/// A job, how far it has come, and who has it in use.
public struct JobSummary: Sendable, Hashable {
  /// The job.
  public var job: Job
  /// Its items by state.
  public var counts: JobCounts
  /// The process that has it in use now; nil where none does.
  public var holder: LeaseOwner?
  /// When all will be done if the budget of points is all that it waits for; nil where nothing is left or where
  /// that will never be.
  public var eta: Datetime?

  /// Puts a summary together.
  public init(job: Job, counts: JobCounts, holder: LeaseOwner? = nil, eta: Datetime? = nil) {
    self.job = job
    self.counts = counts
    self.holder = holder
    self.eta = eta
  }
}

/// A timed change whose end has come.
public struct DueJob: Sendable, Hashable {
  /// The job that made what is to end.
  public var job: Job
  /// The job that undoes it, where one was begun.
  public var undo: JobID?

  /// Puts together what is due.
  public init(job: Job, undo: JobID? = nil) {
    self.job = job
    self.undo = undo
  }
}
