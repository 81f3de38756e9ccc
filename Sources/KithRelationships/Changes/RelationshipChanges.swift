// SPDX-License-Identifier: Apache-2.0

internal import DequeModule
internal import KithCore

/// Changes that a service notices, starting from the subscription; ends when the task is cancelled or the
/// service is released.
///
/// If a subscriber is too slow, the newest changes beyond a buffer of 1,024 are dropped and replaced by one
/// ``RelationshipChange/missed(_:)``.
public struct RelationshipChanges: AsyncSequence, Sendable {
  public typealias Element = RelationshipChange
  public typealias Failure = Never

  let mailbox: ChangeSubscription

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(mailbox: mailbox) }

  /// Takes changes from the buffer. Supports one consumer: a second concurrent call of `next()` returns
  /// nil; use a subscription of its own instead.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let mailbox: ChangeSubscription

    public mutating func next() async -> RelationshipChange? { await mailbox.next() }

    public mutating func next(isolation actor: isolated (any Actor)?) async -> RelationshipChange? {
      await mailbox.next()
    }
  }
}

/// The subscribers of one service.
final class ChangeBroadcaster: Sendable {
  private struct Listener {
    weak var mailbox: ChangeSubscription?
  }

  private let listeners = PosixMutex<[Listener]>([])

  deinit {
    listeners.withLock { listeners in for listener in listeners { listener.mailbox?.finish() } }
  }

  /// Whether there is a subscriber, who may have been told of any answer.
  var hasSubscribers: Bool { listeners.withLock { $0.contains { $0.mailbox != nil } } }

  /// - Parameter view: returns what a subscriber is told of a change; nil for nothing.
  func subscribe(
    telling view: @escaping @Sendable (RelationshipChange) -> RelationshipChange? = { $0 }
  ) -> RelationshipChanges {
    let mailbox = ChangeSubscription(view)
    listeners.withLock { listeners in
      listeners.removeAll { $0.mailbox == nil }
      listeners.append(Listener(mailbox: mailbox))
    }
    return RelationshipChanges(mailbox: mailbox)
  }

  /// Adds changes to the buffers of all subscribers, in order.
  ///
  /// - Returns: closures that resume waiting subscribers; call them without holding a lock.
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

/// The buffer of one subscriber.
final class ChangeSubscription: Sendable {
  private struct State {
    var buffer = ChangeBuffer()
    var waiter: CheckedContinuation<RelationshipChange?, Never>?
    var isFinished = false
  }

  private let state = PosixMutex(State())
  private let view: @Sendable (RelationshipChange) -> RelationshipChange?

  /// - Parameter view: returns what the subscriber is told of a change; nil for nothing.
  init(_ view: @escaping @Sendable (RelationshipChange) -> RelationshipChange? = { $0 }) { self.view = view }

  /// - Returns: a closure that delivers the change to a waiting subscriber, if there is one; call it
  ///   without holding a lock.
  func post(_ change: RelationshipChange) -> (@Sendable () -> Void)? {
    guard let change = view(change) else { return nil }
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

/// A bounded queue of changes for one subscriber, in order, that reports how many were dropped.
struct ChangeBuffer {
  /// Enough for many screens of an app's list.
  static let capacity = 1_024

  private(set) var changes: Deque<RelationshipChange> = []
  private var missed = 0

  mutating func append(_ change: RelationshipChange) {
    // After a drop, everything is dropped until the subscriber has received `missed`, which keeps the order
    // correct.
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
