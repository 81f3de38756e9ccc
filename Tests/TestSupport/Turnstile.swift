// SPDX-License-Identifier: Apache-2.0

/// Counts who comes through, and holds them back while it is closed, so that a test decides the order in
/// which concurrent work ends.
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

  /// Makes a turnstile.
  public init(isOpen: Bool = true) { state = Watched(State(isOpen: isOpen)) }

  /// How many have come so far, those included who are gone.
  public var arrivals: Int { state.withLock(\.arrivals) }

  /// How many are inside now, held back or at work.
  public var inside: Int { state.withLock(\.inside) }

  /// The most that were inside at once.
  public var peak: Int { state.withLock(\.peak) }

  /// Waits until so many have come.
  public func untilArrived(_ count: Int) async { await state.until { $0.arrivals >= count } }

  /// Waits until all who came have left.
  public func untilEmpty() async { await state.until { $0.inside == 0 } }

  /// Lets one through, by the order of arrival from 0 on; also one that is yet to come.
  public func release(_ number: Int) {
    let visitor = state.withLock { state in
      let visitor = state.waiting.removeValue(forKey: number)
      if visitor == nil { state.releasedEarly.insert(number) }
      return visitor
    }
    visitor?.resume()
  }

  /// Lets everybody through, now and from now on.
  public func open() {
    let visitors = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [:] }
      return state.waiting.sorted { $0.key < $1.key }.map(\.value)
    }
    for visitor in visitors { visitor.resume() }
  }

  /// Holds back who comes from now on.
  public func close() { state.withLock { $0.isOpen = false } }

  /// Does something once it is let through; it is inside from its arrival to the end of the work.
  ///
  /// - Throws: `CancellationError` when the task is cancelled while it is held back; what the work throws.
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
