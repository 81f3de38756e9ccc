// SPDX-License-Identifier: Apache-2.0

internal import Dispatch

/// Runs a blocking system call that cannot be interrupted, such as a name lookup.
package enum BlockingCall {
  /// Runs the call on another thread and waits for it. When the task is cancelled or the limit is reached,
  /// this function returns at once; the thread stays busy until the call ends.
  ///
  /// - Parameter late: The error thrown when the limit is reached.
  /// - Throws: What the call throws; `CancellationError` when the task is cancelled.
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

/// Delivers the first of several outcomes to one waiter and drops the others.
package final class FirstOutcome<Value: Sendable>: Sendable {
  private struct State {
    var outcome: Result<Value, any Error>?
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = PosixMutex(State())

  package init() {}

  /// Waits for the outcome. Only one task may wait.
  ///
  /// - Throws: The error of the outcome; `CancellationError` at once when the task is cancelled.
  package func value() async throws -> Value {
    try await withTaskCancellationHandler {
      while true {
        // Read under the lock: ThreadSanitizer does not see that a continuation synchronizes memory.
        if let outcome = state.withLock({ $0.outcome }) { return try outcome.get() }
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

  /// Sets the outcome, unless one is set already.
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
