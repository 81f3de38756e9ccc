// SPDX-License-Identifier: Apache-2.0

/// Counts arrivals, and holds them back while it is closed, so that a test decides the order in which
/// concurrent work ends.
public final class Turnstile: Sendable {
  private typealias Visitor = CheckedContinuation<Void, any Error>

  private struct State {
    var isOpen: Bool
    var arrivals = 0
    var inside = 0
    var peak = 0
    var waiting: [Int: Visitor] = [:]
    var releasedEarly: Set<Int> = []
  }

  private let state: Watched<State>

  /// Creates a turnstile.
  public init(isOpen: Bool = true) { state = Watched(State(isOpen: isOpen)) }

  /// The number of arrivals so far, including those that have left.
  public var arrivals: Int { state.withLock(\.arrivals) }

  /// The number inside now, held back or at work.
  public var inside: Int { state.withLock(\.inside) }

  /// The maximum number inside at once.
  public var peak: Int { state.withLock(\.peak) }

  /// Waits until there were this many arrivals.
  public func untilArrived(_ count: Int) async { await state.until { $0.arrivals >= count } }

  /// Waits until all that arrived have left.
  public func untilEmpty() async { await state.until { $0.inside == 0 } }

  /// Lets one through, by its order of arrival from 0 on, even before it arrives.
  public func release(_ number: Int) {
    let visitor = state.withLock { state in
      let visitor = state.waiting.removeValue(forKey: number)
      if visitor == nil { state.releasedEarly.insert(number) }
      return visitor
    }
    visitor?.resume()
  }

  /// Lets everything through from now on.
  public func open() {
    let visitors = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [:] }
      return state.waiting.sorted { $0.key < $1.key }.map(\.value)
    }
    for visitor in visitors { visitor.resume() }
  }

  /// Holds back arrivals from now on.
  public func close() { state.withLock { $0.isOpen = false } }

  /// Performs the work once it is let through; it is inside from its arrival to the end of the work.
  ///
  /// - Throws: `CancellationError` if the task is cancelled while it is held back; the error of the work.
  public func pass<Value>(_ work: () async throws -> Value) async throws -> Value {
    let number = state.withLock { state in
      defer { state.arrivals += 1 }
      state.inside += 1
      state.peak = max(state.peak, state.inside)
      return state.arrivals
    }
    defer { state.withLock { $0.inside -= 1 } }
    try await turn(of: number)
    return try await work()
  }

  private func turn(of number: Int) async throws {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (visitor: Visitor) in
        let verdict = state.withLock { state -> Result<Void, any Error>? in
          if Task.isCancelled { return .failure(CancellationError()) }
          if state.isOpen || state.releasedEarly.remove(number) != nil { return .success(()) }
          state.waiting[number] = visitor
          return nil
        }
        if let verdict { visitor.resume(with: verdict) }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(throwing: CancellationError())
    }
  }
}
