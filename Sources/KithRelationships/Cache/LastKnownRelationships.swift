// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// Stores the last known relationships beyond the life of a process, so an app can show something before
/// the first answer.
///
/// Errors are not reported: what cannot be read is requested again, and what cannot be written is not kept.
public protocol LastKnownRelationships: Sendable {
  /// The latest relationships, most recent first; older ones than `moment` may be deleted.
  func relationships(checkedSince moment: Datetime, atMost count: Int) async -> [RelationshipInfo]
  /// Stores relationships; for each pair the most recent one wins.
  func keep(_ relationships: [RelationshipInfo]) async
  /// Removes what is known about pairs of accounts, in both directions.
  func remove(_ pairs: [(DID, DID)]) async
  /// Removes everything.
  func removeAll() async
}

/// Writes what was learned to a ``LastKnownRelationships`` in order, in a background task.
final class LastKnownWriter: Sendable {
  /// Bounds the buffer while a disk is slow; what does not fit is dropped.
  private static let mostWaiting = 50_000

  private struct State {
    var waiting: [RelationshipInfo] = []
    /// Written before `waiting`.
    var outdated: [(DID, DID)] = []
    var isForgetting = false
    var work: Task<Void, Never>?
  }

  private let store: any LastKnownRelationships
  private let state = PosixMutex(State())

  init(_ store: any LastKnownRelationships) { self.store = store }

  /// Stores relationships soon.
  func keep(_ relationships: [RelationshipInfo]) {
    if relationships.isEmpty { return }
    state.withLock { state in
      let room = Self.mostWaiting - state.waiting.count
      state.waiting += relationships.prefix(max(0, room))
      begin(&state)
    }
  }

  /// Removes a pair soon.
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

  /// Removes everything, including what is waiting.
  func removeAll() {
    state.withLock { state in
      (state.waiting, state.outdated, state.isForgetting) = ([], [], true)
      begin(&state)
    }
  }

  /// Waits until everything is written.
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

  /// The next batch to write; nil if there is none, which ends the task.
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
