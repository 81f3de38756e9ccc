// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// One listener's buffer.
final class ChangeMailbox: Sendable {
  private struct State {
    var buffer = ChangeBuffer()
    var waiter: CheckedContinuation<RelationshipChange?, Never>?
    var isFinished = false
  }

  private let state = PosixMutex(State())

  func post(_ change: RelationshipChange) {
    let waiter = state.withLock { state -> CheckedContinuation<RelationshipChange?, Never>? in
      if let waiter = state.waiter {
        state.waiter = nil
        return waiter
      }
      state.buffer.append(change)
      return nil
    }
    waiter?.resume(returning: change)
  }

  /// Ends the sequence once the buffer is empty.
  func finish() {
    let waiter = state.withLock { state in
      state.isFinished = true
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(returning: nil)
  }

  func next() async -> RelationshipChange? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let ready = state.withLock { state -> RelationshipChange?? in
          if let change = state.buffer.popFirst() { return change }
          if state.isFinished || state.waiter != nil || Task.isCancelled { return .some(nil) }
          state.waiter = continuation
          return nil
        }
        if let ready { continuation.resume(returning: ready) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        defer { state.waiter = nil }
        return state.waiter
      }
      waiter?.resume(returning: nil)
    }
  }
}
