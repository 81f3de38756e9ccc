// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// One piece of work that several ask for at once, run in a task of its own.
///
/// Whoever is cancelled leaves at once and fails nobody else; when the last one has left, the work itself is
/// cancelled. Every ``join()`` that says true is answered by one ``value()`` or one ``leave()``.
package final class SharedWork<Value: Sendable>: Sendable {
  private typealias Waiter = CheckedContinuation<Value, any Error>

  private struct State {
    var seats = 0
    var outcome: Result<Value, any Error>?
    var waiting: [UInt64: Waiter] = [:]
    var numbers: UInt64 = 0
    var isAbandoned = false
    var task: Task<Void, Never>?
  }

  private let state = PosixMutex(State())

  /// Starts the work; nobody has joined yet.
  package init(_ work: @escaping @Sendable () async throws -> Value) {
    let task = Task {
      let outcome: Result<Value, any Error>
      do { outcome = .success(try await work()) } catch { outcome = .failure(error) }
      finish(outcome)
    }
    state.withLock { $0.task = task }
  }

  /// Takes a seat; false when the work is over, or of no use any more because all others have left.
  package func join() -> Bool {
    state.withLock { state in
      guard !state.isAbandoned, state.outcome == nil else { return false }
      state.seats += 1
      return true
    }
  }

  /// Gives a seat back without waiting.
  package func leave() {
    let abandoned = state.withLock { state -> Task<Void, Never>? in
      state.seats -= 1
      guard state.seats == 0, state.outcome == nil else { return nil }
      state.isAbandoned = true
      return state.task
    }
    abandoned?.cancel()
  }

  /// Waits for the outcome, and gives the seat back.
  ///
  /// - Throws: what the work throws; `CancellationError` at once when the asker's task is cancelled.
  package func value() async throws -> Value {
    defer { leave() }
    let number = state.withLock { state in
      state.numbers += 1
      return state.numbers
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (waiter: Waiter) in
        let verdict = state.withLock { state -> Result<Value, any Error>? in
          if let outcome = state.outcome { return outcome }
          if Task.isCancelled { return .failure(CancellationError()) }
          state.waiting[number] = waiter
          return nil
        }
        if let verdict { waiter.resume(with: verdict) }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(throwing: CancellationError())
    }
  }

  private func finish(_ outcome: Result<Value, any Error>) {
    let waiters = state.withLock { state in
      state.outcome = outcome
      state.task = nil
      defer { state.waiting = [:] }
      return Array(state.waiting.values)
    }
    for waiter in waiters { waiter.resume(with: outcome) }
  }
}
