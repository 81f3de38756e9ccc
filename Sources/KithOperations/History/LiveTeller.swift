// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithRelationships

/// Sorts what happens while listings are followed: events wait to be taken, one group after the other, and the rest is noted
/// at once.
final class LiveTeller: Sendable {
  private struct State {
    var settling: SettlingEvents
    var progress = LiveProgress()
    var gaps = 0
  }

  private let actors: Set<DID>
  private let note: @Sendable (Note) -> Void
  private let progress: (@Sendable (RunProgress) -> Void)?
  private let time: TimeSource
  private let state: PosixMutex<State>
  private let handoff = Handoff<[LiveRow.Event]>()
  /// Events come from the stream, and from the wait for those that settle.
  private let turns = Turns()
  private let held: AsyncStream<Void>
  private let hold: AsyncStream<Void>.Continuation

  init(of actors: [DID], _ report: Reporter<LiveRow>, _ time: TimeSource, settle: Duration) {
    self.actors = Set(actors)
    (note, progress, self.time) = (report.note, report.progress, time)
    state = PosixMutex(State(settling: SettlingEvents(for: settle)))
    (held, hold) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// How often events were missed.
  var gaps: Int { state.withLock { $0.gaps } }

  /// The events that are to be told next; nil at the end.
  func next() async throws -> [LiveRow.Event]? { try await handoff.next() }

  /// Nothing more happens.
  func end() { handoff.end() }

  /// Takes what happened; waits until those before are told.
  func take(_ event: LiveEvent) async throws {
    switch event {
    case .changed(let change): try await tell(.changed(change))
    case .blocked(let actor, let account, let moment):
      try await tell(.blocked(actor, by: account, at: moment))
    case .renamed(let account, let handle, let moment):
      try await tell(.renamed(account, handle, at: moment))
    case .friends(let event): try await tell(.friends(event, of: event.actor(among: actors)))
    case .connected, .disconnected, .gap, .read, .observed: noteStream(event)
    }
  }

  /// Notes what happens to the stream, and shows how far it was read.
  func noteStream(_ event: LiveEvent) {
    switch event {
    case .changed, .blocked, .renamed, .friends: return
    case .connected(let connection):
      show { ($0.host, $0.isBroken) = (connection.host, false) }
      note(.streamConnected(connection))
    case .disconnected(let error, let wait):
      // An outage is told once.
      let isKnown = state.withLock { $0.progress.isBroken }
      show { $0.isBroken = true }
      if !isKnown { note(.streamBroken(error, retryIn: wait)) }
    case .gap(let gap):
      state.withLock { $0.gaps += 1 }
      note(.streamGap(gap))
    case .read(let outcome): outcome.report(note)
    case .observed(let cursor, let count):
      show { progress in
        progress.place = cursor.at
        progress.read += count
      }
    }
  }

  private func show(_ change: (inout LiveProgress) -> Void) {
    let now = state.withLock { state in
      change(&state.progress)
      return state.progress
    }
    progress?(.following(now))
  }

  private func tell(_ event: LiveRow.Event) async throws {
    let (now, settles) = (time.now, state.withLock { $0.settling.span > .zero })
    guard settles else { return try await hand([event]) }
    state.withLock { $0.settling.add(event, at: now) }
    hold.yield()
  }

  private func hand(_ events: [LiveRow.Event]) async throws {
    try await turns.take { [handoff] in try await handoff.put(events) }
  }

  /// Waits for events to settle, and tells them, until the task is cancelled.
  func settle() async throws {
    for await _ in held {
      while let next = state.withLock({ $0.settling.next }) {
        try await time.sleep(for: max(.zero, next - time.now))
        let now = time.now
        let settled = state.withLock { $0.settling.settled(at: now) }
        if !settled.isEmpty { try await hand(settled) }
      }
    }
  }
}
