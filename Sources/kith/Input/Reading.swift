// SPDX-License-Identifier: Apache-2.0

import ATProtoCore

/// One read that somebody waits for, and that ends by whatever comes first: its outcome or a cancellation.
final class Reading: Sendable {
  private struct State {
    var outcome: Result<[UInt8], any Error>?
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = PosixMutex(State())

  /// Waits for the end; by one task.
  func result() async throws -> [UInt8] {
    while true {
      // Taken out under the lock: ThreadSanitizer does not see that a continuation hands over what was written before.
      if let outcome = state.withLock(\.outcome) { return try outcome.get() }
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if state.outcome == nil { state.waiter = continuation }
          return state.outcome != nil
        }
        if isOver { continuation.resume() }
      }
    }
  }

  func ended(with outcome: Result<[UInt8], any Error>) {
    let waiter = state.withLock { state in
      if state.outcome == nil { state.outcome = outcome }
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }
}
