// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// Work shared by several callers, run in its own task.
///
/// A cancelled caller leaves at once and does not affect the others; when the last one leaves, the work is
/// cancelled. Each ``join()`` that returns true must be matched by one ``value()`` or one ``leave()``.
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

  /// Starts the work; no caller has joined yet.
  package init(_ work: @escaping @Sendable () async throws -> Value) {
    let task = Task {
      let outcome: Result<Value, any Error>
      do { outcome = .success(try await work()) } catch { outcome = .failure(error) }
      finish(outcome)
    }
    state.withLock { $0.task = task }
  }

  /// Joins the work; false if it has ended or was abandoned because all callers left.
  package func join() -> Bool {
    state.withLock { state in
      guard !state.isAbandoned, state.outcome == nil else { return false }
      state.seats += 1
      return true
    }
  }

  /// Leaves without waiting.
  package func leave() {
    let abandoned = state.withLock { state -> Task<Void, Never>? in
      state.seats -= 1
      guard state.seats == 0, state.outcome == nil else { return nil }
      state.isAbandoned = true
      return state.task
    }
    abandoned?.cancel()
  }

  /// Waits for the outcome, and leaves.
  ///
  /// - Throws: What the work throws; `CancellationError` at once if the caller's task is cancelled.
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
