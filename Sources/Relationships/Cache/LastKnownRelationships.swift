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
  /// Forgets them all.
  func removeAll() async
}

/// Hands over what is learned to a ``LastKnownRelationships``, in order and beside all else.
final class LastKnownWriter: Sendable {
  /// More than are learned while a disk is slow for a moment: what finds no room is not kept.
  private static let mostWaiting = 50_000

  private struct State {
    var waiting: [RelationshipInfo] = []
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

  /// Forgets them all, those that wait included.
  func removeAll() {
    state.withLock { state in
      (state.waiting, state.isForgetting) = ([], true)
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
    while let (forgets, relationships) = next() {
      if forgets { await store.removeAll() }
      if !relationships.isEmpty { await store.keep(relationships) }
    }
  }

  /// What is to be written next; nil where there is nothing, and the work ends.
  private func next() -> (forgets: Bool, relationships: [RelationshipInfo])? {
    state.withLock { state in
      guard state.isForgetting || !state.waiting.isEmpty else {
        state.work = nil
        return nil
      }
      defer { (state.waiting, state.isForgetting) = ([], false) }
      return (state.isForgetting, state.waiting)
    }
  }
}
