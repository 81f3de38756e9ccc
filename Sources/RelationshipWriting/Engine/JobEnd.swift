// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// How a run of a job ended.
public enum JobEnd: Sendable, Hashable {
  /// Nothing is left to do. Items may have failed.
  case done
  /// Somebody paused it.
  case paused
  /// Somebody gave up what was left.
  case cancelled
  /// Something is in the way; the job can be resumed.
  case stopped(JobStop)
}

/// What is in the way of a job that can be resumed.
public struct JobStop: Sendable, Hashable, CustomStringConvertible {
  /// The kind of obstacle.
  public let code: Code
  /// What happened, as a half-sentence.
  public let detail: String
  /// When it is worth to go on, where that is known.
  public let until: Datetime?

  init(_ code: Code, _ detail: String, until: Int64? = nil) {
    self.code = code
    self.detail = detail
    // Rounded up to the milliseconds that a Datetime has, so that it is not too early.
    self.until = until.map { Datetime(microsecondsSinceEpoch: $0 + 999) }
  }

  /// The kinds of obstacle; more may come, so a `switch` needs a default.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String, Sendable, CaseIterable {
      case budget, rateLimited, unavailable, notAuthorized, refused, interrupted
    }
    private let kind: Kind
    private init(_ kind: Kind) { self.kind = kind }

    /// Every kind that there is now.
    package static var all: [Code] { Kind.allCases.map { Code($0) } }

    /// The name of the kind, as it stands in machine output.
    public var description: String { kind.rawValue }

    /// The points are used up.
    public static let budget = Code(.budget)
    /// The server wants to be left alone.
    public static let rateLimited = Code(.rateLimited)
    /// The server could not be reached, or failed, again and again.
    public static let unavailable = Code(.unavailable)
    /// Not signed in any more, or not allowed.
    public static let notAuthorized = Code(.notAuthorized)
    /// The server refuses everything.
    public static let refused = Code(.refused)
    /// The task was cancelled.
    public static let interrupted = Code(.interrupted)
  }

  public var description: String { until.map { "\(detail); go on at \($0)" } ?? detail }
}

/// What a job waits for.
public enum JobWait: Sendable, Hashable {
  /// Points of the write budget.
  case budget
  /// The server, which asked for it.
  case rateLimit
  /// A server that could not be reached or failed, as a half-sentence.
  case trouble(String)
}

/// How far a run has come, told after whatever was written down of it and before each wait.
public struct JobProgress: Sendable, Hashable {
  /// The job.
  public var job: JobID
  /// Its items by state, and the points that are left to pay.
  public var counts: JobCounts
  /// When all will be done if points are all that it waits for; nil where that will never be.
  public var eta: Datetime?
  /// What it waits for; nil while it works.
  public var wait: JobWait?
  /// Until when it waits.
  public var waitsUntil: Datetime?
  /// What was just written down of items, by their place.
  public var outcomes: [Int: JobItemState] = [:]
}
