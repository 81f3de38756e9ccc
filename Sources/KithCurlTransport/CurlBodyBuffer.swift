// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore

/// Passes a streamed response from the loop thread to the task that reads it.
final class CurlBodyBuffer: Sendable {
  private struct State {
    var queue = CurlBodyQueue()
    var reader: CheckedContinuation<Void, Never>?
  }

  private let state = PosixMutex(State())

  var metrics: TransportResponse.Metrics { state.withLock { $0.queue.metrics } }

  /// Changes the queue, and resumes the reader if there is something for it.
  @discardableResult func update<Value>(_ change: (inout CurlBodyQueue) -> Value) -> Value {
    let (value, reader) = state.withLock { state in
      (change(&state.queue), state.queue.hasNews ? state.reader.take() : nil)
    }
    reader?.resume()
    return value
  }

  /// Waits until there is something, and takes it. For one task at a time.
  func next() async -> CurlBodyQueue.Taken {
    while true {
      let taken = state.withLock { $0.queue.dequeue() }
      guard case .nothing = taken else { return taken }
      await withCheckedContinuation { continuation in
        // Resumes an earlier reader, which checks again: two readers take turns, and neither waits forever.
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
          if state.queue.hasNews { return continuation }
          defer { state.reader = continuation }
          return state.reader
        }
        next?.resume()
      }
    }
  }
}
