// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// What is known about a relationship, from now on; see ``FollowRelationshipService/observe(actor:target:)``.
///
/// Each iteration is a subscription of its own. It begins with what is known, and a slow consumer skips values that
/// are no longer true. It ends when its task is cancelled; then, and when the iterator is released, the requests that
/// only it needs are cancelled.
public struct RelationshipObservation: AsyncSequence, Sendable {
  public typealias Element = ObservedRelationship
  public typealias Failure = Never

  let subscribe: @Sendable () -> ObservationSubscription

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(subscription: subscribe()) }

  /// Waits for the next value. Supports one consumer: a second concurrent call of `next()` returns nil.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let subscription: ObservationSubscription

    public mutating func next() async -> ObservedRelationship? { await subscription.next() }

    public mutating func next(isolation actor: isolated (any Actor)?) async -> ObservedRelationship? {
      await subscription.next()
    }
  }
}

/// A subscriber's place in the hub, which it leaves when it is released or cancelled.
final class ObservationSubscription: Sendable {
  private let observer: RelationshipObserver
  private let leave: @Sendable () -> Void

  init(_ observer: RelationshipObserver, leave: @escaping @Sendable () -> Void) {
    (self.observer, self.leave) = (observer, leave)
  }

  deinit { leave() }

  func next() async -> ObservedRelationship? {
    await withTaskCancellationHandler {
      await observer.next()
    } onCancel: {
      leave()
      observer.finish()
    }
  }
}

/// One subscriber of a pair, which keeps the newest value until it is taken.
final class RelationshipObserver: Sendable {
  private struct State {
    /// The newest value, until it is taken.
    var newest: ObservedRelationship?
    /// The last value that was taken or delivered.
    var shown: ObservedRelationship?
    var waiter: CheckedContinuation<ObservedRelationship?, Never>?
    var isFinished = false
  }

  /// The account as which it sees the pair.
  let actor: DID
  private let state = PosixMutex(State())

  init(_ actor: DID) { self.actor = actor }

  /// Adds a value, unless it shows what was shown last.
  ///
  /// - Returns: a closure that delivers it to a waiting subscriber; call it without holding a lock.
  func show(_ value: ObservedRelationship) -> (@Sendable () -> Void)? {
    let waiter = state.withLock { state -> CheckedContinuation<ObservedRelationship?, Never>? in
      if let shown = state.shown, shown.showsSame(as: value) {
        // An undelivered value in between is out of date.
        state.newest = nil
        return nil
      }
      guard let waiter = state.waiter else {
        state.newest = value
        return nil
      }
      (state.waiter, state.shown) = (nil, value)
      return waiter
    }
    guard let waiter else { return nil }
    return { waiter.resume(returning: value) }
  }

  func next() async -> ObservedRelationship? {
    await withCheckedContinuation { continuation in
      let ready = state.withLock { state -> ObservedRelationship?? in
        if state.isFinished || state.waiter != nil { return .some(nil) }
        guard let newest = state.newest else {
          state.waiter = continuation
          return nil
        }
        (state.newest, state.shown) = (nil, newest)
        return newest
      }
      if let ready { continuation.resume(returning: ready) }
    }
  }

  func finish() {
    let waiter = state.withLock { state in
      state.isFinished = true
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(returning: nil)
  }
}
