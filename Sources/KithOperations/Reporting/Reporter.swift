// SPDX-License-Identifier: Apache-2.0

import KithCore
public import KithWriting

/// What an operation says while it runs. Made by the caller: a command, a page, a daemon, an app.
///
/// The closures of one run are called one after the other, except for ``note`` and ``progress``, which may be called
/// from any task.
public struct Reporter<Row: Sendable>: Sendable {
  /// Receives the rows that are ready, at least one; the next may take time. What it throws ends the run: the outcome
  /// says so.
  public var rows: @Sendable ([Row]) async throws -> Void
  /// Receives what the rows do not say.
  public var note: @Sendable (Note) -> Void
  /// Receives how far the run has come; nil if it is not shown, so nothing is counted for it.
  public var progress: (@Sendable (RunProgress) -> Void)?

  /// Answers a question; by default it is declined.
  public var ask: @Sendable (Question) async throws -> Bool

  public init(
    rows: @escaping @Sendable ([Row]) async throws -> Void,
    note: @escaping @Sendable (Note) -> Void = { _ in },
    progress: (@Sendable (RunProgress) -> Void)? = nil,
    ask: @escaping @Sendable (Question) async throws -> Bool = { _ in false }
  ) {
    self.rows = rows
    self.note = note
    self.progress = progress
    self.ask = ask
  }
}

/// How far a run has come.
public enum RunProgress: Sendable {
  /// The number of rows that there will be.
  case expects(Int)
  /// The number of entries that were read of what has to be read first.
  case reached(Int)
  /// A stream was read so far.
  case following(LiveProgress)
  /// A job has come so far.
  case job(JobProgress)
}

extension Reporter {
  /// A reporter of other rows, which are handed on in the form that this one receives.
  public func accepting<Other: Sendable>(
    _ form: @escaping @Sendable (Other) -> Row
  ) -> Reporter<Other> {
    Reporter<Other>(
      rows: { [rows] in try await rows($0.map(form)) }, note: note, progress: progress, ask: ask)
  }

  /// Says how many rows there will be, once they are counted.
  func expect(_ names: TargetStream) -> Task<Void, Never>? {
    progress.map { progress in Task { await names.count.map { progress(.expects($0)) } } }
  }
}

/// Counts what is read before there are rows.
final class ReadingProgress: Sendable {
  private let progress: (@Sendable (RunProgress) -> Void)?
  private let count = PosixMutex(0)

  init(_ report: Reporter<some Sendable>) { progress = report.progress }

  func advance(by number: Int = 1) {
    guard let progress else { return }
    progress(
      .reached(
        count.withLock { count in
          count += number
          return count
        }))
  }
}

/// How the rows of an operation ended.
public struct RowsOutcome: Sendable {
  /// The number of rows.
  public fileprivate(set) var count = 0
  /// What ended the run before its last row; nil if nothing did.
  public fileprivate(set) var interruption: (any Error)?
  /// Whether the caller stopped reading rows.
  public fileprivate(set) var isClosed = false

  /// The same, with a reason why rows may be missing; a reason that there is already counts.
  func marked(interruptedBy doubt: (any Error)?) -> RowsOutcome {
    var outcome = self
    outcome.interruption = interruption ?? doubt
    return outcome
  }
}

extension Reporter {
  /// Runs what makes rows, and hands over all that it has made, also those before an error.
  func deliver(_ make: (inout RowBatch<Row>) async throws -> Void) async -> RowsOutcome {
    var rows = RowBatch(to: self)
    var outcome = RowsOutcome()
    do { try await make(&rows) } catch { outcome.interruption = error }
    if !rows.isClosed {
      do { try await rows.flush() } catch { outcome.interruption = outcome.interruption ?? error }
    }
    // A cancelled task hands nothing over either.
    let isCancelled = outcome.interruption is CancellationError
    (outcome.count, outcome.isClosed) = (rows.count, rows.isClosed && !isCancelled)
    return outcome
  }

  /// Hands over rows that are known.
  func deliver(_ known: some Sequence<Row>) async -> RowsOutcome {
    await deliver { rows in for row in known { try await rows.append(row) } }
  }
}

/// Rows on their way to the caller, several at a time: a step of the caller costs more than a row.
struct RowBatch<Row: Sendable> {
  private static var most: Int { 256 }

  private let report: Reporter<Row>
  private var rows: [Row] = []
  /// Whether the caller has stopped reading rows.
  private(set) var isClosed = false
  /// How many rows there were.
  private(set) var count = 0

  init(to report: Reporter<Row>) { self.report = report }

  /// Whether as many rows are ready as are handed over at once.
  var isFull: Bool { rows.count >= Self.most }

  /// Adds a row. Call ``flush()`` when there are enough: most rows only join the others, which takes less than an
  /// asynchronous call.
  mutating func add(_ row: consuming Row) {
    rows.append(row)
    count += 1
  }

  /// Adds a row, and hands over those that are ready if there are enough.
  @inline(__always)  // As for `add`.
  mutating func append(_ row: consuming Row) async throws {
    add(row)
    if isFull { try await flush() }
  }

  /// Hands over what is ready. Call it before waiting.
  mutating func flush() async throws {
    guard !rows.isEmpty else { return }
    let ready = rows
    rows.removeAll(keepingCapacity: true)
    do { try await report.rows(ready) } catch {
      isClosed = true
      throw error
    }
  }
}
