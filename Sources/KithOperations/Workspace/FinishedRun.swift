// SPDX-License-Identifier: Apache-2.0

public import KithClient
import KithCore

/// What one run of an operation came to, and what it has cost: calls and seconds of the same span.
public struct FinishedRun<Outcome: OperationOutcome>: Sendable {
  /// What it came to.
  public let outcome: Outcome
  /// The cost of its calls. One that it shares with another run is counted for the run that asked first.
  public let cost: CallCost
  /// The same by method; see `CallMeter`.
  public let costByMethod: [String: CallCost]
  /// How long it took, without the time in which its questions were answered.
  public let elapsed: Duration
}

extension Workspace {
  /// Runs an operation with a meter and a clock of its own. Any number of them run at once.
  ///
  /// - Throws: what the operation throws.
  public func run<Operation: KithOperation>(
    _ operation: Operation, _ report: Reporter<Operation.Row>
  ) async throws -> FinishedRun<Operation.Outcome> {
    let meter = CallMeter()
    let thought = PosixMutex(Duration.zero)
    var report = report
    report.ask = { [ask = report.ask, time] question in
      let asked = time.now
      defer { thought.withLock { $0 += time.now - asked } }
      return try await ask(question)
    }
    let started = time.now
    let outcome = try await CallMeter.$ofRun.withValue(meter) { [report] in
      try await operation.run(in: self, report)
    }
    return FinishedRun(
      outcome: outcome, cost: meter.cost, costByMethod: meter.costByMethod,
      elapsed: time.now - started - thought.withLock(\.self))
  }

  /// Starts an operation whose rows are taken one batch at a time: it waits while the caller is busy with a batch.
  ///
  /// ```swift
  /// import KithRelationships
  ///
  /// let run = workspace.start(ListAccounts(ListingQuery(.followers(of: .did(alice)))))
  /// for try await accounts in run.rows { show(accounts) }
  /// show(try await run.outcome.ending)
  /// ```
  ///
  /// - Parameters:
  ///   - note: receives what the rows do not say.
  ///   - progress: receives how far the run has come; nil if it is not shown.
  ///   - ask: answers questions; no by default.
  public func start<Operation: KithOperation>(
    _ operation: Operation, note: @escaping @Sendable (Note) -> Void = { _ in },
    progress: (@Sendable (RunProgress) -> Void)? = nil,
    ask: @escaping @Sendable (Question) async throws -> Bool = { _ in false }
  ) -> StartedRun<Operation> {
    let handoff = Handoff<[Operation.Row]>()
    let task = Task {
      defer { handoff.end() }
      return try await run(
        operation,
        Reporter(rows: { try await handoff.put($0) }, note: note, progress: progress, ask: ask))
    }
    return StartedRun(rows: RowSequence(handoff), task: task)
  }
}

/// An operation that runs while its rows are taken.
public final class StartedRun<Operation: KithOperation>: Sendable {
  /// The rows, in batches as they are ready. They can be taken once, by one task. A caller that takes no more, because it
  /// leaves its loop or is cancelled, ends the run as one that is closed.
  public let rows: RowSequence<Operation.Row>
  private let task: Task<FinishedRun<Operation.Outcome>, any Error>

  fileprivate init(rows: RowSequence<Operation.Row>, task: Task<FinishedRun<Operation.Outcome>, any Error>) {
    (self.rows, self.task) = (rows, task)
  }

  deinit { task.cancel() }

  /// What the operation came to, once it has ended: it ends only if the rows are taken.
  ///
  /// - Throws: what the operation throws.
  public var outcome: Operation.Outcome { get async throws { try await finished.outcome } }

  /// The outcome with the cost of the run.
  ///
  /// - Throws: as ``outcome``.
  public var finished: FinishedRun<Operation.Outcome> {
    get async throws {
      try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    }
  }

  /// Cancels the run; its outcome says so.
  public func cancel() { task.cancel() }
}

/// The rows of a run, one batch at a time.
public struct RowSequence<Row: Sendable>: AsyncSequence, Sendable {
  private let handoff: Handoff<[Row]>

  fileprivate init(_ handoff: Handoff<[Row]>) { self.handoff = handoff }

  public func makeAsyncIterator() -> Iterator { Iterator(handoff) }

  /// Takes the batches.
  public final class Iterator: AsyncIteratorProtocol {
    private let handoff: Handoff<[Row]>

    fileprivate init(_ handoff: Handoff<[Row]>) { self.handoff = handoff }

    deinit { handoff.close() }

    /// The next batch; nil at the end. What ended the run is in its outcome.
    public func next() async throws -> [Row]? { try await handoff.next() }

    /// As ``next()``, for a caller that keeps the iterator in an actor.
    public func next(isolation actor: isolated (any Actor)?) async throws -> [Row]? {
      try await handoff.next()
    }
  }
}
