// SPDX-License-Identifier: Apache-2.0

public import KithClient
public import KithCore

/// A clock that stands still until a test advances it.
///
/// ```swift
/// import KithTestSupport
///
/// let clock = ManualClock()
/// let source = ScriptedSource(follows: [alice: bob])
/// let service = FollowRelationshipService(source: source, cacheTTL: .seconds(60), time: clock.timeSource())
/// show(try await service.isFollowing(actor: alice, target: bob))
/// clock.advance(by: .seconds(61))
/// show(try await service.isFollowing(actor: alice, target: bob), source.calls)
/// ```
///
/// With ``Mode/skipping`` it advances by itself: a sleeper wakes at once, and the time has passed. So retries
/// run without waiting, and their waits can be read from ``slept``.
public final class ManualClock: Clock, Sendable {
  /// A time, counted from the creation of the clock.
  public struct Instant: InstantProtocol {
    /// The time since the clock was created.
    public let offset: Duration

    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    public static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
  }

  /// What happens to sleepers.
  public enum Mode: Sendable {
    /// They wait for ``ManualClock/advance(by:)``.
    case still
    /// They wake at once, and the clock advances to their time.
    case skipping
  }

  private struct Sleeper {
    let number: Int
    let deadline: Duration
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now = Duration.zero
    var slept: [Duration] = []
    var sleepers: [Sleeper] = []
    var next = 0
  }

  private let mode: Mode
  private let state = Watched(State())

  /// Creates a clock at zero.
  public init(_ mode: Mode = .still) { self.mode = mode }

  public var now: Instant { Instant(offset: state.withLock(\.now)) }
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// All requested waits, in order.
  public var slept: [Duration] { state.withLock(\.slept) }

  /// The number of current sleepers.
  public var sleeperCount: Int { state.withLock(\.sleepers.count) }

  /// Returns a source of time for the library, whose wall clock starts at a date and advances with this
  /// clock.
  ///
  /// - Parameter start: October 2025 by default.
  public func timeSource(
    wallAtZero start: KithCore.Instant = KithCore.Instant(secondsSinceEpoch: 1_760_000_000)
  ) -> TimeSource {
    TimeSource(self, isManual: mode == .still) { start + self.now.offset }
  }

  /// Advances the clock and wakes the sleepers that are due, the earliest first.
  public func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.now += duration
      let due = state.sleepers.filter { $0.deadline <= state.now }
      state.sleepers.removeAll { $0.deadline <= state.now }
      return due.sorted { ($0.deadline, $0.number) < ($1.deadline, $1.number) }
    }
    for sleeper in due { sleeper.continuation.resume() }
  }

  /// Advances the clock to the time of the next sleeper, if there is one.
  public func advanceToNextSleeper() {
    let wait = state.withLock { state in state.sleepers.map(\.deadline).min().map { $0 - state.now } }
    if let wait { advance(by: max(.zero, wait)) }
  }

  /// Waits until there are this many sleepers.
  public func untilAsleep(_ count: Int) async { await state.until { $0.sleepers.count >= count } }

  /// Waits until all sleepers are awake.
  public func untilAwake() async { await state.until { $0.sleepers.isEmpty } }

  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
    let number = state.withLock { state in
      state.next += 1
      state.slept.append(deadline.offset - state.now)
      if mode == .skipping { state.now = max(state.now, deadline.offset) }
      return state.next
    }
    guard mode == .still else { return }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let verdict = state.withLock { state -> Result<Void, any Error>? in
          if Task.isCancelled { return .failure(CancellationError()) }
          if deadline.offset <= state.now { return .success(()) }
          state.sleepers.append(
            Sleeper(number: number, deadline: deadline.offset, continuation: continuation))
          return nil
        }
        if let verdict { continuation.resume(with: verdict) }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        state.sleepers.firstIndex { $0.number == number }.map { state.sleepers.remove(at: $0) }
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }
}
