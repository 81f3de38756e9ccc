// SPDX-License-Identifier: Apache-2.0

public import KithWriting

/// What an operation came to, as data. Encoded as one object: how it ended (``Ending``), then ``fields``.
public protocol OperationOutcome: Sendable, Encodable {
  /// How the operation ended.
  var ending: Ending { get }
  /// The error that ended the operation early, for a caller in the same process; nil if nothing did.
  var interruption: (any Error)? { get }
  /// What it came to: always all fields, in this order.
  var fields: [OutputField] { get }
}

extension OperationOutcome {
  public var interruption: (any Error)? { nil }

  public func encode(to encoder: any Encoder) throws {
    let head = ending.fields + [OutputField("error", .cause(interruption))]
    try OutputValue.object(head + fields).encode(to: encoder)
  }
}

/// How an operation ended. Encoded as two fields: `ending` and `reason`.
public enum Ending: Sendable, Hashable {
  /// Everything was done.
  case done
  /// It was left, because the answer to a question was no, or because it would have hidden something.
  case declined
  /// It ran to its end, but something is missing or failed; the most severe kind of these failures.
  case partly(FailureKind)
  /// It did not run to its end.
  case interrupted(Interruption)

  /// What ended an operation early.
  public enum Interruption: Sendable, Hashable {
    /// The task or the job was cancelled.
    case cancelled
    /// The caller stopped reading rows.
    case closed
    /// A failure; the most severe kind, with those of single rows.
    case failed(FailureKind)
  }

  /// `ending` is `done`, `declined`, `partly` or `interrupted`; `reason` is `cancelled`, `closed`, the kind of failure, or
  /// null.
  public var fields: [OutputField] {
    let (code, reason): (String, String?) =
      switch self {
      case .done: ("done", nil)
      case .declined: ("declined", nil)
      case .partly(let kind): ("partly", kind.rawValue)
      case .interrupted(.cancelled): ("interrupted", "cancelled")
      case .interrupted(.closed): ("interrupted", "closed")
      case .interrupted(.failed(let kind)): ("interrupted", kind.rawValue)
      }
    return [OutputField("ending", .string(code)), OutputField("reason", .text(reason))]
  }
}

extension Ending {
  /// The kind of failure that it is about; nil if nothing failed.
  public var failure: FailureKind? {
    switch self {
    case .partly(let kind), .interrupted(.failed(let kind)): kind
    case .interrupted(.cancelled): .interrupted
    case .done, .declined, .interrupted(.closed): nil
    }
  }
}

extension Ending: Encodable {
  public func encode(to encoder: any Encoder) throws { try OutputValue.object(fields).encode(to: encoder) }
}

extension Ending {
  /// - Parameters:
  ///   - interruption: the error that ended it early; nil if nothing did.
  ///   - isClosed: whether that is because the caller stopped reading rows.
  ///   - failure: the most severe failure of a part; nil if there was none.
  init(_ interruption: (any Error)? = nil, isClosed: Bool = false, failure: FailureKind? = nil) {
    guard let interruption else {
      self = isClosed ? .interrupted(.closed) : failure.map { .partly($0) } ?? .done
      return
    }
    let kind = FailureKind(any: interruption).orMoreSevere(failure)
    self = isClosed ? .interrupted(.closed) : .interrupted(kind == .interrupted ? .cancelled : .failed(kind))
  }

  /// - Parameter failure: the most severe failure of a part that rows do not show; nil if there was none.
  init(_ rows: RowsOutcome, failure: FailureKind? = nil) {
    self.init(rows.interruption, isClosed: rows.isClosed, failure: failure)
  }

  /// How a run of a job ended.
  ///
  /// - Parameter failure: the most severe failure of its items; nil if there was none.
  public init(_ end: JobEnd, failure: FailureKind? = nil) {
    let kind: FailureKind? =
      switch end {
      case .done: nil
      case .paused: .tryLater
      case .cancelled: .interrupted
      case .stopped(let stop): FailureKind(stop)
      }
    guard let kind = kind?.orMoreSevere(failure) else {
      self = failure.map { .partly($0) } ?? .done
      return
    }
    self = .interrupted(kind == .interrupted ? .cancelled : .failed(kind))
  }
}

extension [OutputField] {
  /// Fields with names and values.
  init(_ pairs: KeyValuePairs<String, OutputValue>) {
    self = pairs.map { OutputField($0.key, $0.value) }
  }
}

/// The outcome of an operation that is done as soon as it returns, and has nothing else to say.
public struct CompletedOutcome: OperationOutcome {
  public var ending: Ending { .done }
  public var fields: [OutputField] { [] }
}

/// The outcome of an operation whose whole result is its rows. Encoded with their number.
extension RowsOutcome: OperationOutcome {
  public var ending: Ending { Ending(self) }
  public var fields: [OutputField] { [OutputField("rows", .integer(count))] }
}

/// The outcome of an operation that says more than its rows.
public protocol OutcomeOfRows: OperationOutcome {
  /// How the rows ended.
  var rows: RowsOutcome { get }
}

extension OutcomeOfRows {
  public var ending: Ending { Ending(rows) }
  public var interruption: (any Error)? { rows.interruption }
}
