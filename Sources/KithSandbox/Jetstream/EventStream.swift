// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// What happens in a network, in order, for the readers of its Jetstream. Thread-safe.
///
/// Keeps the last events of ``SandboxStream/window``; memory is bounded by one and a half times their number.
package final class EventStream: Sendable {
  private struct State {
    var manners: SandboxStream
    /// Consecutive numbers, of which only those from ``floor`` on can be read.
    var events: [StreamEvent] = []
    var next: Int64 = 1
    var latest = Instant.distantPast
    /// The time of the last event that was forgotten; nil if there is none.
    var forgottenAt: Instant?
    /// Changes whenever all readers lose their connections.
    var epoch = 0
    /// What waits for its number; nil unless events are held back.
    var held: [(did: DID, kind: StreamEvent.Kind, moment: Instant)]?
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var waitersSoFar = 0
    var readers = 0

    /// The first number that can be read, or the next one.
    var floor: Int64 { next - Int64(min(events.count, manners.window)) }

    mutating func append(_ kind: StreamEvent.Kind, of did: DID, at now: Instant) {
      latest = max(now, latest + .microseconds(1))
      events.append(StreamEvent(seq: next, moment: latest, did: did, kind: kind))
      next += 1
      if events.count > manners.window + max(16, manners.window / 2) {
        events.removeFirst(events.count - manners.window)
      }
    }

    /// The events from a number on.
    func events(from seq: Int64, most: Int) -> ArraySlice<StreamEvent> {
      events.suffix(Int(min(max(0, next - seq), Int64(events.count)))).prefix(most)
    }
  }

  /// Where a reader begins.
  enum Start: Hashable {
    /// With the next event.
    case live
    /// - Parameter isClamped: whether events before it are missing.
    case at(Int64, isClamped: Bool)
    case tooOld(floor: Int64)
  }

  /// What a reader gets next.
  enum Reading {
    case events([StreamEvent])
    /// The next event is not kept any more.
    case overtaken
    /// The connection is lost.
    case over
  }

  private let state: PosixMutex<State>

  init(_ manners: SandboxStream) { state = PosixMutex(State(manners: manners)) }

  var manners: SandboxStream { state.withLock(\.manners) }

  /// Changes how the stream behaves from now on.
  package func change(_ change: (inout SandboxStream) -> Void) { state.withLock { change(&$0.manners) } }

  /// Whether a connection is refused; counts it then.
  func refuses() -> Bool {
    state.withLock { state in
      guard state.manners.refusals > 0 else { return false }
      state.manners.refusals -= 1
      return true
    }
  }

  // MARK: - Events

  func append(_ kinds: [StreamEvent.Kind], of did: DID, at now: Instant) {
    wake { state in
      for kind in kinds {
        if state.held == nil {
          state.append(kind, of: did, at: now)
        } else {
          state.held?.append((did, kind, now))
        }
      }
    }
  }

  /// Holds events back from now on.
  package func hold() { state.withLock { $0.held = $0.held ?? [] } }

  /// Numbers the events that were held back, and holds no others back.
  ///
  /// - Parameter seed: decides how events of different accounts change their order; nil for none. Those of one account keep
  ///   theirs.
  package func release(shuffledBy seed: UInt64? = nil) {
    wake { state in
      let held = state.held ?? []
      state.held = nil
      var order = held.map(\.did)
      if let seed {
        var numbers = SplitMix64(seed: seed)
        for place in order.indices.reversed() { order.swapAt(place, numbers.next(below: place + 1)) }
      }
      var queues = Dictionary(grouping: held, by: \.did).mapValues { $0[...] }
      for did in order {
        if let (_, kind, moment) = queues[did]?.popFirst() { state.append(kind, of: did, at: moment) }
      }
    }
  }

  /// Forgets all events, so that none of them can be read.
  package func forget() {
    state.withLock { state in
      state.events = []
      state.forgottenAt = state.next > 1 ? state.latest : nil
    }
  }

  /// Drops all connections, without a close frame.
  package func dropReaders() { wake { $0.epoch += 1 } }

  /// Continues as another instance would: without events, and with numbers from 1 on.
  package func restart() {
    wake { state in
      state.epoch += 1
      (state.events, state.next, state.forgottenAt) = ([], 1, nil)
    }
  }

  // MARK: - Readers

  var epoch: Int { state.withLock(\.epoch) }

  /// The number of open connections.
  package var readerCount: Int { state.withLock(\.readers) }

  /// Counts a connection while it is served.
  func counting(_ serve: () async throws -> Void) async rethrows {
    state.withLock { $0.readers += 1 }
    defer { state.withLock { $0.readers -= 1 } }
    try await serve()
  }

  /// The number of events in memory.
  var keptCount: Int { state.withLock(\.events.count) }

  /// The number of readers that wait for an event.
  package var waiterCount: Int { state.withLock(\.waiting.count) }

  /// The number of the next event.
  package var next: Int64 { state.withLock(\.next) }

  /// Where a reader with a number begins. One that is not there yet leads to live events, without a notice.
  func start(seq: Int64) -> Start {
    state.withLock { state in
      let seq = max(1, seq)
      if seq >= state.next { return .live }
      if seq < state.floor { return .tooOld(floor: state.floor) }
      return .at(max(state.floor, seq - Int64(state.manners.repeats)), isClamped: false)
    }
  }

  /// Where a reader with a time begins: at the first event at that time or later.
  func start(microseconds: Int64) -> Start {
    state.withLock { state in
      let kept = state.events(from: state.floor, most: .max)
      guard let first = kept.first(where: { $0.moment.microsecondsSinceEpoch >= microseconds }) else {
        let isForgotten = state.forgottenAt.map { $0.microsecondsSinceEpoch >= microseconds } ?? false
        return isForgotten && kept.isEmpty ? .at(state.next, isClamped: true) : .live
      }
      let isClamped =
        first.seq == state.floor && state.floor > 1 && first.moment.microsecondsSinceEpoch > microseconds
      return .at(max(state.floor, first.seq - Int64(state.manners.repeats)), isClamped: isClamped)
    }
  }

  /// Waits for events from a number on.
  ///
  /// - Throws: `CancellationError`.
  func read(from seq: Int64, in epoch: Int) async throws -> Reading {
    while true {
      try Task.checkCancellation()
      let reading: Reading? = state.withLock { state in
        if state.epoch != epoch { return .over }
        if seq < state.floor { return .overtaken }
        let events = state.events(from: seq, most: 64)
        return events.isEmpty ? nil : .events(Array(events))
      }
      if let reading { return reading }
      await news(after: seq, in: epoch)
    }
  }

  /// Waits until there may be an event with a number, or the task is cancelled.
  private func news(after seq: Int64, in epoch: Int) async {
    let number = state.withLock { state in
      state.waitersSoFar += 1
      return state.waitersSoFar
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isLate = state.withLock { state in
          guard state.next <= seq, state.epoch == epoch, !Task.isCancelled else { return true }
          state.waiting[number] = continuation
          return false
        }
        if isLate { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
    }
  }

  private func wake(_ change: (inout State) -> Void) {
    let waiting = state.withLock { state in
      change(&state)
      defer { state.waiting = [:] }
      return state.waiting
    }
    for continuation in waiting.values { continuation.resume() }
  }
}
