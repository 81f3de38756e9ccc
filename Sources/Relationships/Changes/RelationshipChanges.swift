// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
internal import DequeModule

/// The changes that a service notices, from the moment of subscribing on; ends with its task or the service.
///
/// A listener that is slower than the changes loses the newest ones past a buffer of 1,024, and hears of
/// it as ``RelationshipChange/missed(_:)`` in their place.
public struct RelationshipChanges: AsyncSequence, Sendable {
  public typealias Element = RelationshipChange
  public typealias Failure = Never

  let mailbox: ChangeSubscription

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(mailbox: mailbox) }

  /// Takes changes out of the buffer. One listener at a time: a second one that waits at once hears nothing,
  /// and subscribes for itself instead.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let mailbox: ChangeSubscription

    public mutating func next() async -> RelationshipChange? { await mailbox.next() }

    public mutating func next(isolation actor: isolated (any Actor)?) async -> RelationshipChange? {
      await mailbox.next()
    }
  }
}

/// The listeners of one service.
final class ChangeBroadcaster: Sendable {
  private struct Listener {
    weak var mailbox: ChangeSubscription?
  }

  private let listeners = PosixMutex<[Listener]>([])

  deinit {
    listeners.withLock { listeners in for listener in listeners { listener.mailbox?.finish() } }
  }

  func subscribe() -> RelationshipChanges {
    let mailbox = ChangeSubscription()
    listeners.withLock { listeners in
      listeners.removeAll { $0.mailbox == nil }
      listeners.append(Listener(mailbox: mailbox))
    }
    return RelationshipChanges(mailbox: mailbox)
  }

  /// Puts changes into the buffers of all listeners, in order.
  ///
  /// - Returns: closures that wake the listeners that wait; call them with no lock held.
  func post(_ changes: [RelationshipChange]) -> [@Sendable () -> Void] {
    guard !changes.isEmpty else { return [] }
    let mailboxes = listeners.withLock { $0.compactMap(\.mailbox) }
    var wakenings: [@Sendable () -> Void] = []
    for mailbox in mailboxes {
      for change in changes { if let wake = mailbox.post(change) { wakenings.append(wake) } }
    }
    return wakenings
  }
}

/// One listener's buffer.
final class ChangeSubscription: Sendable {
  private struct State {
    var buffer = ChangeBuffer()
    var waiter: CheckedContinuation<RelationshipChange?, Never>?
    var isFinished = false
  }

  private let state = PosixMutex(State())

  /// - Returns: a closure that hands the change to the listener that waits for it, if one does; call it with no lock
  ///   held.
  func post(_ change: RelationshipChange) -> (@Sendable () -> Void)? {
    let waiter = state.withLock { state -> CheckedContinuation<RelationshipChange?, Never>? in
      if let waiter = state.waiter {
        state.waiter = nil
        return waiter
      }
      state.buffer.append(change)
      return nil
    }
    guard let waiter else { return nil }
    return { waiter.resume(returning: change) }
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

/// Changes on their way to one listener: bounded, in order, with a note where some were lost.
struct ChangeBuffer {
  /// Changes kept for a listener that is slow: enough for a page of an app's view many times over.
  static let capacity = 1_024

  private(set) var changes: Deque<RelationshipChange> = []
  private var missed = 0

  mutating func append(_ change: RelationshipChange) {
    // Once something was lost, more is lost until the listener has heard of it: the order stays true.
    if missed > 0 || changes.count >= Self.capacity {
      missed += 1
    } else {
      changes.append(change)
    }
  }

  mutating func popFirst() -> RelationshipChange? {
    if let change = changes.popFirst() { return change }
    defer { missed = 0 }
    return missed > 0 ? .missed(missed) : nil
  }
}
