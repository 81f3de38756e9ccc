// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// Why something cannot be done with a job.
public struct JobError: CodedError {
  public static let domain = "job"

  /// The kind of failure.
  public let code: Code
  /// The job that it concerns, where it is one.
  public let job: JobID?
  /// What happened, as a half-sentence.
  public let detail: String
  /// Who has the job in use, for ``Code/held``.
  public let holder: LeaseOwner?

  init(_ code: Code, _ job: JobID?, _ detail: String, holder: LeaseOwner? = nil) {
    self.code = code
    self.job = job
    self.detail = detail
    self.holder = holder
  }

  /// The kinds of failure; more may come, so a `switch` needs a default.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String, Sendable, CaseIterable {
      case notFound, held, wrongState, inDoubt, wrongAccount, journal
    }
    private let kind: Kind
    private init(_ kind: Kind) { self.kind = kind }

    /// Every kind that there is now.
    package static var all: [Code] { Kind.allCases.map { Code($0) } }

    /// The name of the kind, as it stands in machine output.
    public var description: String { kind.rawValue }

    /// There is no job of that number.
    public static let notFound = Code(.notFound)
    /// Another process has it in use.
    public static let held = Code(.held)
    /// It has not come far enough for that, or too far.
    public static let wrongState = Code(.wrongState)
    /// Items of it are in doubt; running it settles them.
    public static let inDoubt = Code(.inDoubt)
    /// It belongs to another account.
    public static let wrongAccount = Code(.wrongAccount)
    /// The journal holds what nobody wrote there.
    public static let journal = Code(.journal)
  }

  /// There is no job of that number.
  public static func notFound(_ job: JobID) -> JobError {
    JobError(.notFound, job, "there is no job \(job)")
  }

  /// Another process runs the job, or undoes, forgets or writes it; it is named where it is known.
  public static func held(_ job: JobID, by holder: LeaseOwner?) -> JobError {
    JobError(
      .held, job,
      "job \(job) is in use by \(holder.map { "\($0)" } ?? "another process"); wait for it, or end it",
      holder: holder)
  }

  /// Another process plans changes; it is named where it is known.
  public static func planning(by holder: LeaseOwner?) -> JobError {
    JobError(
      .held, nil,
      "\(holder.map { "\($0)" } ?? "another process") is about to write changes down; try again when it is done",
      holder: holder)
  }

  /// The job has not come far enough for what is wanted, or too far.
  public static func wrongState(_ job: JobID, _ detail: String) -> JobError {
    JobError(.wrongState, job, detail)
  }

  /// The job took another one back, and is not taken back itself.
  static func isUndo(_ job: JobID, of undone: JobID) -> JobError {
    wrongState(
      job,
      "job \(job) took job \(undone) back, and is not taken back itself; what job \(undone) did is to be done anew"
    )
  }

  /// Nothing that the job did stands.
  static func nothingToUndo(_ job: JobID, wasUndone: Bool) -> JobError {
    wrongState(
      job, wasUndone ? "job \(job) was taken back already" : "job \(job) did nothing that could be undone")
  }

  /// What became of items of the job has to be learned first.
  public static func inDoubt(_ job: JobID, _ items: Int) -> JobError {
    let subject = items == 1 ? "1 item of job \(job) is" : "\(items) items of job \(job) are"
    return JobError(.inDoubt, job, "\(subject) in doubt, to be settled first")
  }

  /// The journal holds what cannot be read.
  public static func journal(_ job: JobID?, _ detail: String) -> JobError {
    JobError(.journal, job, detail)
  }

  /// The job, where it is one.
  public var subject: String { job.map { "job \($0)" } ?? "" }

  /// Without the job, which the words name already.
  public var description: String { detail }
}
