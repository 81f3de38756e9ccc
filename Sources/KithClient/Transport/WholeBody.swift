// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// A body that is complete before it is read.
final class WholeBody: TransportBodySource {
  let metrics: TransportResponse.Metrics
  private let state: PosixMutex<(remaining: [UInt8], isStopped: Bool)>

  init(_ bytes: [UInt8], _ metrics: TransportResponse.Metrics) {
    state = PosixMutex((bytes, false))
    self.metrics = metrics
  }

  func next() async throws -> [UInt8]? {
    if Task.isCancelled { stop() }
    let chunk = state.withLock { state -> [UInt8]? in
      defer { state.remaining = [] }
      return state.isStopped ? nil : state.remaining
    }
    guard let chunk else { throw CancellationError() }
    return chunk.isEmpty ? nil : chunk
  }

  func stop() {
    state.withLock { state in
      // A body that has been read to its end has nothing left to abort.
      state.isStopped = state.isStopped || !state.remaining.isEmpty
      state.remaining = []
    }
  }
}
