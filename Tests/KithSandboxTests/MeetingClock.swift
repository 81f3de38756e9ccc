// SPDX-License-Identifier: Apache-2.0

import KithCore

/// A clock on which sleepers wake, whatever their duration, as soon as a given number of them sleep.
final class MeetingClock: Clock {
  struct Instant: InstantProtocol {
    var offset = Swift.Duration.zero
    func advanced(by duration: Swift.Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Swift.Duration { other.offset - offset }
    static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
  }

  private typealias Sleeper = CheckedContinuation<Void, any Error>

  private struct State {
    var slept: [Swift.Duration] = []
    var sleepers: [Int: Sleeper] = [:]
    var cancelled: Set<Int> = []

    /// Adds a sleeper, and returns those that wake because of it.
    mutating func lie(down sleeper: Sleeper, as id: Int, parties: Int) -> [Sleeper] {
      if cancelled.contains(id) { return [sleeper] }
      sleepers[id] = sleeper
      guard sleepers.count == parties else { return [] }
      defer { sleepers = [:] }
      return Array(sleepers.values)
    }
  }

  let now = Instant()
  let minimumResolution = Swift.Duration.zero
  private let parties: Int
  private let state = PosixMutex(State())

  init(parties: Int) { self.parties = parties }

  /// The durations of the sleepers, in order.
  var slept: [Swift.Duration] { state.withLock { $0.slept } }

  func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
    let id = state.withLock { state in
      state.slept.append(deadline.offset)
      return state.slept.count
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let woken = state.withLock { $0.lie(down: continuation, as: id, parties: parties) }
        for sleeper in woken { sleeper.resume() }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        state.cancelled.insert(id)
        return state.sleepers.removeValue(forKey: id)
      }
      sleeper?.resume(throwing: CancellationError())
    }
    try Task.checkCancellation()
  }
}
