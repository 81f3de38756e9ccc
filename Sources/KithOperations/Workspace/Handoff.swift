// SPDX-License-Identifier: Apache-2.0

import KithCore

/// Hands values from one task to another, one at a time: who puts a value waits until the other task comes for the next.
final class Handoff<Value: Sendable>: Sendable {
  /// Thrown to the one who puts a value that will not be taken.
  struct Closed: Error {}

  private enum State {
    case idle
    /// A value waits to be taken; and, once it is, the one who put it waits for the next request.
    case full(Value, CheckedContinuation<Void, any Error>)
    case taken(CheckedContinuation<Void, any Error>)
    case asked(CheckedContinuation<Value?, any Error>)
    /// No more values come.
    case ended
    /// No more values are taken.
    case closed
  }

  private let state = PosixMutex(State.idle)

  /// - Throws: ``Closed``; `CancellationError`.
  func put(_ value: Value) async throws {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { giver in
        let asker: CheckedContinuation<Value?, any Error>? = state.withLock { state in
          switch state {
          case .asked(let asker):
            state = .taken(giver)
            return asker
          case .closed:
            giver.resume(throwing: Closed())
          default: state = .full(value, giver)
          }
          return nil
        }
        asker?.resume(returning: value)
        // It may have been cancelled before it could be released.
        if Task.isCancelled { release() }
      }
    } onCancel: {
      release()
    }
  }

  /// - Returns: nil at the end.
  /// - Throws: `CancellationError`.
  func next() async throws -> Value? {
    try await withTaskCancellationHandler {
      try Task.checkCancellation()
      return try await withCheckedThrowingContinuation { asker in
        let giver: CheckedContinuation<Void, any Error>? = state.withLock { state in
          switch state {
          case .full(let value, let giver):
            state = .taken(giver)
            asker.resume(returning: value)
          case .taken(let giver):
            state = .asked(asker)
            return giver
          case .idle, .asked: state = .asked(asker)
          case .ended, .closed: asker.resume(returning: nil)
          }
          return nil
        }
        giver?.resume()
      }
    } onCancel: {
      close()
    }
  }

  /// No more values come. A value that was not taken yet will not be.
  func end() {
    let former = state.withLock { state in
      defer { if case .closed = state {} else { state = .ended } }
      return state
    }
    switch former {
    case .asked(let asker): asker.resume(returning: nil)
    case .taken(let giver): giver.resume()
    case .full(_, let giver): giver.resume(throwing: Closed())
    case .idle, .ended, .closed: break
    }
  }

  /// No more values are taken.
  func close() {
    let (giver, asker) = state.withLock {
      state -> (CheckedContinuation<Void, any Error>?, CheckedContinuation<Value?, any Error>?) in
      switch state {
      case .full(_, let giver), .taken(let giver):
        state = .closed
        return (giver, nil)
      case .asked(let asker):
        state = .closed
        return (nil, asker)
      case .idle: state = .closed
      case .ended, .closed: break
      }
      return (nil, nil)
    }
    giver?.resume(throwing: Closed())
    asker?.resume(throwing: CancellationError())
  }

  /// Lets the one who puts go on, because its task is cancelled.
  private func release() {
    let giver: CheckedContinuation<Void, any Error>? = state.withLock { state in
      switch state {
      case .full(_, let giver), .taken(let giver):
        state = .idle
        return giver
      default: return nil
      }
    }
    giver?.resume(throwing: CancellationError())
  }
}
