// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// Keeps the relationships that were last known beyond the life of a process, so that an app has something to show before
/// the first answer.
///
/// Nothing fails for want of it: what cannot be read is asked for, and what cannot be written is not kept.
public protocol LastKnownRelationships: Sendable {
  /// The latest, the last learned first; those learned before a moment may be gone for good.
  func relationships(checkedSince moment: Datetime, atMost count: Int) async -> [RelationshipInfo]
  /// Keeps relationships; of a pair the one that was learned last stands.
  func keep(_ relationships: [RelationshipInfo]) async
  /// Forgets what is known of two accounts, whichever of both was asked about.
  func remove(_ pairs: [(DID, DID)]) async
  /// Forgets them all.
  func removeAll() async
}

/// Hands over what is learned to a ``LastKnownRelationships``, in order and beside all else.
final class LastKnownWriter: Sendable {
  /// More than are learned while a disk is slow for a moment: what finds no room is not kept.
  private static let mostWaiting = 50_000

  private struct State {
    var waiting: [RelationshipInfo] = []
    /// Goes before what waits.
    var outdated: [(DID, DID)] = []
    var isForgetting = false
    var work: Task<Void, Never>?
  }

  private let store: any LastKnownRelationships
  private let state = PosixMutex(State())

  init(_ store: any LastKnownRelationships) { self.store = store }

  /// Keeps relationships that were just learned, soon.
  func keep(_ relationships: [RelationshipInfo]) {
    if relationships.isEmpty { return }
    state.withLock { state in
      let room = Self.mostWaiting - state.waiting.count
      state.waiting += relationships.prefix(max(0, room))
      begin(&state)
    }
  }

  /// Forgets what is known of two accounts, soon.
  func remove(_ one: DID, _ other: DID) {
    state.withLock { state in
      let pair = PairKey(one, other)
      state.waiting.removeAll { PairKey($0.actor, $0.target) == pair }
      if state.outdated.count < Self.mostWaiting {
        state.outdated.append((one, other))
      } else {
        state.isForgetting = true
      }
      begin(&state)
    }
  }

  /// Forgets them all, those that wait included.
  func removeAll() {
    state.withLock { state in
      (state.waiting, state.outdated, state.isForgetting) = ([], [], true)
      begin(&state)
    }
  }

  /// Waits until all that was handed over is kept.
  func finish() async {
    while let work = state.withLock(\.work) { await work.value }
  }

  private func begin(_ state: inout State) {
    if state.work == nil { state.work = Task { await write() } }
  }

  private func write() async {
    while let (forgets, outdated, relationships) = next() {
      if forgets { await store.removeAll() }
      if !outdated.isEmpty { await store.remove(outdated) }
      if !relationships.isEmpty { await store.keep(relationships) }
    }
  }

  /// What is to be written next; nil where there is nothing, and the work ends.
  private func next() -> (forgets: Bool, outdated: [(DID, DID)], relationships: [RelationshipInfo])? {
    state.withLock { state in
      guard state.isForgetting || !state.waiting.isEmpty || !state.outdated.isEmpty else {
        state.work = nil
        return nil
      }
      defer { (state.waiting, state.outdated, state.isForgetting) = ([], [], false) }
      return (state.isForgetting, state.outdated, state.waiting)
    }
  }
}
