// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithRelationships

/// Sorts what happens while listings are followed: events wait to be taken, one group after the other, and the rest is noted
/// at once.
final class LiveTeller: Sendable {
  private let actors: Set<DID>
  private let notes: StreamNotes
  private let time: TimeSource
  private let settling: PosixMutex<SettlingEvents>
  private let handoff = Handoff<[LiveRow.Event]>()
  /// Events come from the stream, and from the wait for those that settle.
  private let turns = Turns()
  private let held: AsyncStream<Void>
  private let hold: AsyncStream<Void>.Continuation

  init(of actors: [DID], _ report: Reporter<LiveRow>, _ time: TimeSource, settle: Duration) {
    self.actors = Set(actors)
    (notes, self.time) = (StreamNotes(report), time)
    settling = PosixMutex(SettlingEvents(for: settle))
    (held, hold) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// How often events were missed.
  var gaps: Int { notes.gaps }

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
    case .began, .connected, .disconnected, .gap, .reading, .read, .observed: notes.take(event)
    }
  }

  private func tell(_ event: LiveRow.Event) async throws {
    let (now, settles) = (time.now, settling.withLock { $0.span > .zero })
    guard settles else { return try await hand([event]) }
    settling.withLock { $0.add(event, at: now) }
    hold.yield()
  }

  private func hand(_ events: [LiveRow.Event]) async throws {
    try await turns.take { [handoff] in try await handoff.put(events) }
  }

  /// Waits for events to settle, and tells them, until the task is cancelled.
  func settle() async throws {
    for await _ in held {
      while let next = settling.withLock({ $0.next }) {
        try await time.sleep(for: max(.zero, next - time.now))
        let now = time.now
        let settled = settling.withLock { $0.settled(at: now) }
        if !settled.isEmpty { try await hand(settled) }
      }
    }
  }
}
