// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// One listener's buffer.
final class ChangeMailbox: Sendable {
  /// Changes kept for a listener that is slow: enough for a page of an app's view many times over.
  static let capacity = 1_024

  private struct State {
    var changes: [RelationshipChange] = []
    var head = 0
    var missed = 0
    var waiter: CheckedContinuation<RelationshipChange?, Never>?

    mutating func pop() -> RelationshipChange? {
      if head < changes.count {
        let change = changes[head]
        head += 1
        // A listener that never quite catches up must not make the array grow for ever.
        if head == ChangeMailbox.capacity {
          changes.removeFirst(head)
          head = 0
        }
        return change
      }
      changes.removeAll(keepingCapacity: true)
      head = 0
      guard missed > 0 else { return nil }
      defer { missed = 0 }
      return .missed(missed)
    }
  }

  private let state = Mutex(State())

  func post(_ change: RelationshipChange) {
    let waiter = state.withLock { state -> CheckedContinuation<RelationshipChange?, Never>? in
      if let waiter = state.waiter {
        state.waiter = nil
        return waiter
      }
      // Once something was lost, more is lost until the listener has heard of it: the order stays true.
      if state.missed > 0 || state.changes.count - state.head >= Self.capacity {
        state.missed += 1
      } else {
        state.changes.append(change)
      }
      return nil
    }
    waiter?.resume(returning: change)
  }

  func next() async -> RelationshipChange? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let ready = state.withLock { state -> RelationshipChange?? in
          if let change = state.pop() { return change }
          if state.waiter != nil || Task.isCancelled { return .some(nil) }
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
