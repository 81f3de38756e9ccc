// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// How a run of a job ended.
public enum JobEnd: Sendable, Hashable {
  /// Nothing is left to do. Items may have failed.
  case done
  /// The job was paused.
  case paused
  /// The rest of the job was cancelled.
  case cancelled
  /// An obstacle stopped it; the job can be resumed.
  case stopped(JobStop)
}

extension JobEnd {
  /// The end of a run whose job another process has paused, cancelled or emptied.
  init(halted state: JobState) {
    self =
      switch state {
      case .cancelled: .cancelled
      case .done: .done
      default: .paused
      }
  }
}

/// Why a job stopped that can be resumed.
public struct JobStop: Sendable, Hashable, CustomStringConvertible {
  /// The kind of obstacle.
  public let code: Code
  /// What happened, as a phrase.
  public let detail: String
  /// When resuming makes sense, if known.
  public let until: Datetime?

  /// Creates an obstacle.
  ///
  /// - Parameters:
  ///   - detail: what happened, as a phrase.
  ///   - until: when resuming makes sense, if known.
  public init(_ code: Code, detail: String, until: Datetime? = nil) {
    (self.code, self.detail, self.until) = (code, detail, until)
  }

  init(_ code: Code, _ detail: String, until: Instant? = nil) {
    self.code = code
    self.detail = detail
    // Rounded up to the milliseconds of a Datetime, so that it is not too early.
    self.until = until.map { Datetime(at: $0 + .microseconds(999)) }
  }

  /// The kinds of obstacle; more may be added, so a `switch` needs a default.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String, Sendable, CaseIterable {
      case budget, rateLimited, unavailable, notAuthorized, notPermitted, refused, interrupted
      case accountSuspended, accountDeactivated
    }
    private let kind: Kind
    private init(_ kind: Kind) { self.kind = kind }

    /// All kinds that exist now.
    package static var all: [Code] { Kind.allCases.map { Code($0) } }

    /// The name of the kind in machine-readable output.
    public var description: String { kind.rawValue }

    /// The write budget is used up.
    public static let budget = Code(.budget)
    /// The server asked to slow down.
    public static let rateLimited = Code(.rateLimited)
    /// The server could not be reached, or failed repeatedly.
    public static let unavailable = Code(.unavailable)
    /// Not signed in any longer, or not allowed.
    public static let notAuthorized = Code(.notAuthorized)
    /// The session may not do some of it, as that of an app password; those items have failed.
    public static let notPermitted = Code(.notPermitted)
    /// The server has suspended the account; those items have failed.
    public static let accountSuspended = Code(.accountSuspended)
    /// The account is deactivated at the server that it is signed in to; those items have failed. It may have moved.
    public static let accountDeactivated = Code(.accountDeactivated)
    /// The server refuses everything.
    public static let refused = Code(.refused)
    /// The task was cancelled.
    public static let interrupted = Code(.interrupted)
  }

  public var description: String { until.map { "\(detail); resume at \($0)" } ?? detail }
}

/// What a job waits for.
public enum JobWait: Sendable, Hashable {
  /// Points of the write budget.
  case budget
  /// The server, which asked to slow down.
  case rateLimit
  /// A server that could not be reached or failed; the reason as a phrase.
  case trouble(String)
}

/// The progress of a run; reported whenever outcomes are journaled and before each wait.
public struct JobProgress: Sendable, Hashable {
  /// The job.
  public var job: JobID
  /// Its items by state, and the points still to be paid.
  public var counts: JobCounts
  /// When everything will be done if only points delay it; nil if that never happens.
  public var eta: Datetime?
  /// What it waits for; nil while it works.
  public var wait: JobWait?
  /// Until when it waits.
  public var waitsUntil: Datetime?
  /// The outcomes that were just journaled, by item position.
  public var outcomes: [Int: JobItemState]
  /// The steps as they were done, by item position, if the server gave records keys of its own.
  package var steps: [Int: ChangeStep] = [:]

  /// Creates the progress of a job.
  public init(
    job: JobID, counts: JobCounts, eta: Datetime? = nil, wait: JobWait? = nil, waitsUntil: Datetime? = nil,
    outcomes: [Int: JobItemState] = [:]
  ) {
    self.job = job
    self.counts = counts
    self.eta = eta
    self.wait = wait
    self.waitsUntil = waitsUntil
    self.outcomes = outcomes
  }
}
