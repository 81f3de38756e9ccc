// SPDX-License-Identifier: Apache-2.0

internal import Dispatch

/// Runs a call of the system that blocks its thread and cannot be stopped, such as a look-up of a name.
package enum BlockingCall {
  /// Waits for a call on a thread of its own. Who is cancelled, or for whom it takes too long, leaves at once; the thread
  /// goes on until the call ends.
  ///
  /// - Parameter late: the error after that time.
  /// - Throws: what the call throws; `CancellationError`.
  package static func run<Value: Sendable>(
    atMost limit: Duration, orThrow late: any Error, _ call: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    let outcome = FirstOutcome<Value>()
    DispatchQueue.global().asyncAfter(deadline: .now() + limit.seconds) {
      outcome.settle(.failure(late))
    }
    DispatchQueue.global().async { outcome.settle(Result(catching: call)) }
    return try await outcome.value()
  }
}

/// Hands the first of several outcomes to whoever waits; the others are dropped.
package final class FirstOutcome<Value: Sendable>: Sendable {
  private struct State {
    var outcome: Result<Value, any Error>?
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = PosixMutex(State())

  package init() {}

  /// Waits for the outcome; by one task.
  ///
  /// - Throws: what the outcome holds; `CancellationError` at once when the task is cancelled.
  package func value() async throws -> Value {
    try await withTaskCancellationHandler {
      while true {
        // Taken out under the lock: ThreadSanitizer does not see that a continuation hands over what was written before.
        if let outcome = state.withLock(\.outcome) { return try outcome.get() }
        await withCheckedContinuation { continuation in
          let isSettled = state.withLock { state in
            if state.outcome == nil { state.waiter = continuation }
            return state.outcome != nil
          }
          if isSettled { continuation.resume() }
        }
      }
    } onCancel: {
      settle(.failure(CancellationError()))
    }
  }

  /// Gives an outcome, which counts if it is the first.
  package func settle(_ outcome: Result<Value, any Error>) {
    let waiter = state.withLock { state in
      if state.outcome == nil { state.outcome = outcome }
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }
}

extension Duration {
  fileprivate var seconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}
