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
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        outcome.deliver(to: continuation)
        DispatchQueue.global().asyncAfter(deadline: .now() + limit.seconds) {
          outcome.settle(.failure(late))
        }
        DispatchQueue.global().async { outcome.settle(Result(catching: call)) }
      }
    } onCancel: {
      outcome.settle(.failure(CancellationError()))
    }
  }
}

/// Hands the first of several outcomes to whoever waits; the others are dropped.
private final class FirstOutcome<Value: Sendable>: Sendable {
  private enum State: Sendable {
    case open
    case awaited(CheckedContinuation<Value, any Error>)
    case settled(Result<Value, any Error>)
    case delivered
  }

  private let state = PosixMutex<State>(.open)

  func deliver(to continuation: CheckedContinuation<Value, any Error>) {
    let outcome = state.withLock { state -> Result<Value, any Error>? in
      if case .settled(let outcome) = state {
        state = .delivered
        return outcome
      }
      state = .awaited(continuation)
      return nil
    }
    if let outcome { continuation.resume(with: outcome) }
  }

  func settle(_ outcome: Result<Value, any Error>) {
    let continuation = state.withLock { state -> CheckedContinuation<Value, any Error>? in
      switch state {
      case .open:
        state = .settled(outcome)
        return nil
      case .awaited(let continuation):
        state = .delivered
        return continuation
      case .settled, .delivered: return nil
      }
    }
    continuation?.resume(with: outcome)
  }
}

extension Duration {
  fileprivate var seconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}
