// SPDX-License-Identifier: Apache-2.0

import ATProtoCore

/// One read that somebody waits for, and that ends by whatever comes first: its outcome or a cancellation.
final class Reading: Sendable {
  private typealias Outcome = Result<[UInt8], any Error>

  private enum State {
    case idle
    case awaited(CheckedContinuation<[UInt8], any Error>)
    case over(Result<[UInt8], any Error>)
  }

  private let state = PosixMutex(State.idle)

  func began(_ continuation: CheckedContinuation<[UInt8], any Error>) {
    let outcome: Outcome? = state.withLock { state in
      if case .over(let outcome) = state { return outcome }
      state = .awaited(continuation)
      return nil
    }
    if let outcome { continuation.resume(with: outcome) }
  }

  func ended(with outcome: Result<[UInt8], any Error>) {
    let waiting: CheckedContinuation<[UInt8], any Error>? = state.withLock { state in
      defer { if case .over = state {} else { state = .over(outcome) } }
      if case .awaited(let continuation) = state { return continuation }
      return nil
    }
    waiting?.resume(with: outcome)
  }
}
