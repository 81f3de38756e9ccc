// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// An error about a job.
public struct JobError: CodedError {
  public static let domain = "job"

  /// The kind of failure.
  public let code: Code
  /// The job that it concerns, if any.
  public let job: JobID?
  /// What happened, as a phrase.
  public let detail: String
  /// The process that holds the job, for ``Code/held``.
  public let holder: LeaseOwner?
  /// What differs from the plan that was shown, for ``Code/planChanged``.
  public let difference: PlanDifference?

  /// Creates an error.
  ///
  /// - Parameter detail: what happened, as a phrase.
  public init(_ code: Code, job: JobID?, detail: String) { self.init(code, job, detail) }

  init(
    _ code: Code, _ job: JobID?, _ detail: String, holder: LeaseOwner? = nil,
    difference: PlanDifference? = nil
  ) {
    self.code = code
    self.job = job
    self.detail = detail
    self.holder = holder
    self.difference = difference
  }

  /// The kinds of failure; more may be added, so a `switch` needs a default.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String, Sendable, CaseIterable {
      case notFound, held, wrongState, undone, inDoubt, wrongAccount, journal
      case notProposed, expired, otherPlan, planChanged, fileNotKept
    }
    private let kind: Kind
    private init(_ kind: Kind) { self.kind = kind }

    /// All kinds that exist now.
    package static var all: [Code] { Kind.allCases.map { Code($0) } }

    /// The name of the kind in machine-readable output.
    public var description: String { kind.rawValue }

    /// There is no job with this number.
    public static let notFound = Code(.notFound)
    /// Another process holds it.
    public static let held = Code(.held)
    /// It is not in a state that allows this.
    public static let wrongState = Code(.wrongState)
    /// It is undone already: nothing that it did is still in effect.
    public static let undone = Code(.undone)
    /// Some of its items are in doubt; running it settles them.
    public static let inDoubt = Code(.inDoubt)
    /// It belongs to another account.
    public static let wrongAccount = Code(.wrongAccount)
    /// The journal holds invalid data.
    public static let journal = Code(.journal)
    /// It does not wait to be approved: it never did, or that is decided.
    public static let notProposed = Code(.notProposed)
    /// It waited too long to be approved.
    public static let expired = Code(.expired)
    /// The digest that is approved is not that of the proposal.
    public static let otherPlan = Code(.otherPlan)
    /// What it would do now is not what was shown.
    public static let planChanged = Code(.planChanged)
    /// A file that it needs cannot be kept until it is approved.
    public static let fileNotKept = Code(.fileNotKept)
  }

  /// There is no job with this number.
  package static func notFound(_ job: JobID) -> JobError {
    JobError(.notFound, job, "there is no job \(job)")
  }

  /// Another process runs, undoes, removes or creates the job; it is named if it is known.
  package static func held(_ job: JobID, by holder: LeaseOwner?) -> JobError {
    JobError(
      .held, job,
      "job \(job) is in use by \(holder.map { "\($0)" } ?? "another process"); wait for it, or end it",
      holder: holder)
  }

  /// Another process is planning changes; it is named if it is known.
  package static func planning(by holder: LeaseOwner?) -> JobError {
    JobError(
      .held, nil,
      "\(holder.map { "\($0)" } ?? "another process") is planning changes; try again when it is done",
      holder: holder)
  }

  /// The job is not in a state that allows this.
  package static func wrongState(_ job: JobID, _ detail: String) -> JobError {
    JobError(.wrongState, job, detail)
  }

  /// The job is an undo, which cannot be undone.
  static func isUndo(_ job: JobID, of undone: JobID) -> JobError {
    wrongState(
      job,
      "job \(job) undid job \(undone) and cannot be undone; make the changes of job \(undone) again instead"
    )
  }

  /// Nothing that the job did is still in effect.
  static func nothingToUndo(_ job: JobID, wasUndone: Bool) -> JobError {
    wasUndone
      ? JobError(.undone, job, "job \(job) is already undone")
      : wrongState(job, "job \(job) did nothing that can be undone")
  }

  /// The outcome of some items has to be settled first.
  package static func inDoubt(_ job: JobID, _ items: Int) -> JobError {
    let subject = items == 1 ? "1 item of job \(job) is" : "\(items) items of job \(job) are"
    return JobError(.inDoubt, job, "\(subject) in doubt; settle that first")
  }

  /// The job does not wait to be approved.
  package static func notProposed(_ job: Job) -> JobError {
    JobError(
      .notProposed, job.id,
      job.proposal == nil
        ? "job \(job.id) is not a proposal"
        : job.isUnapproved
          ? "job \(job.id) was rejected, or has expired"
          : "job \(job.id) is approved already: it is \(job.state.rawValue)")
  }

  /// The job waited too long to be approved.
  static func expired(_ job: JobID, at end: Datetime) -> JobError {
    JobError(.expired, job, "job \(job) could be approved until \(end); propose the change again")
  }

  /// Another plan is approved than the job proposes.
  static func otherPlan(_ job: JobID, _ digest: PlanDigest) -> JobError {
    JobError(.otherPlan, job, "job \(job) proposes another plan, with the digest \(digest)")
  }

  /// The job would not do now what was shown.
  static func planChanged(_ job: JobID, _ difference: PlanDifference) -> JobError {
    JobError(
      .planChanged, job,
      "the changes of job \(job) are no longer those that were shown: \(difference); nothing was changed",
      difference: difference)
  }

  /// The journal has no room for a file of a proposal, or the file is nowhere to be found.
  static func filesNotKept(_ count: Int) -> JobError {
    let files = count == 1 ? "a file" : "\(count) files"
    return JobError(
      .fileNotKept, nil,
      "\(files) cannot be kept until the change is approved; make it without a proposal")
  }

  /// The journal holds something that cannot be read.
  package static func journal(_ job: JobID?, _ detail: String) -> JobError {
    JobError(.journal, job, detail)
  }

  /// The job, if there is one.
  public var subject: String { job.map { "job \($0)" } ?? "" }

  /// Whether another process has to end first.
  public var isTransient: Bool { code == .held }

  public var errorDescription: String? { detail.asSentence }

  /// The detail alone, because it names the job already.
  public var description: String { detail }
}
