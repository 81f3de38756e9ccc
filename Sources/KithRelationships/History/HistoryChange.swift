// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// An account that was added to a listing or lost from it between two snapshots.
package struct HistoryChange: Sendable, Hashable {
  /// What happened.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    case gained
    /// Gained after an earlier loss.
    case returned
    case lost
  }

  package let listing: HistoryListing
  package let edge: HistoryEdge
  package let kind: Kind
  /// The cause and its evidence, for ``Kind/lost``.
  package let loss: HistoryLoss?
  /// The snapshot that found the change.
  package let snapshot: SnapshotID
  /// The earliest time of the change, in microseconds since 1970: the start of the last snapshot without
  /// it, or ``before`` if the clock was set back since.
  package let after: Int64
  /// The latest time of the change: the end of the snapshot that found it.
  package let before: Int64

  package var account: DID { edge.account }
}

extension HistoryChange {
  /// The changes that a snapshot found; empty if it is not complete or is the baseline, whose accounts are
  /// not gains.
  ///
  /// Losses come first.
  /// - Parameter intervals: intervals that begin or end with the snapshot.
  static func changes(of snapshot: Snapshot, _ intervals: [HistoryInterval]) -> [HistoryChange] {
    guard let end = snapshot.endedAt, snapshot.state == .complete, let previous = snapshot.previousAt else {
      return []
    }
    let losses = intervals.filter { $0.lostIn == snapshot.id }.map { interval in
      HistoryChange(
        listing: snapshot.listing, edge: interval.edge, kind: .lost, loss: interval.loss,
        snapshot: snapshot.id, after: min(snapshot.previousFullAt ?? previous, end), before: end)
    }
    // An account that the AppView shows again may be anywhere in the listing, and only a full snapshot
    // reads that far.
    let afterOfGains = snapshot.extent == .full ? snapshot.previousFullAt ?? previous : previous
    let gains = intervals.filter { $0.first == snapshot.id }.map { interval in
      HistoryChange(
        listing: snapshot.listing, edge: interval.edge, kind: interval.isReturn ? .returned : .gained,
        loss: nil, snapshot: snapshot.id, after: min(afterOfGains, end), before: end)
    }
    return losses + gains
  }
}

/// The difference of a listing between two snapshots; accounts that came and went in between are left out.
package struct SnapshotDifference: Sendable, Hashable {
  package private(set) var gained: [HistoryEdge] = []
  package private(set) var lost: [HistoryLoss] = []

  /// Compares two snapshots of a listing, the earlier one first.
  ///
  /// - Parameter intervals: all intervals that begin or end after the first snapshot and up to the second.
  package init(from earlier: SnapshotID, to later: SnapshotID, _ intervals: [HistoryInterval]) {
    var order: [DID] = []
    var byAccount: [DID: [HistoryInterval]] = [:]
    for interval in intervals {
      if byAccount[interval.edge.account] == nil { order.append(interval.edge.account) }
      byAccount[interval.edge.account, default: []].append(interval)
    }
    for account in order {
      let all = byAccount[account] ?? []
      let wasThere = all.contains { $0.holds(at: earlier) }
      if let interval = all.first(where: { $0.holds(at: later) }) {
        if !wasThere { gained.append(interval.edge) }
      } else if wasThere {
        let ended = all.filter { $0.lostIn.map { $0 <= later } ?? false }
        if let loss = ended.max(by: { $0.first < $1.first })?.loss { lost.append(loss) }
      }
    }
  }
}

/// Selects changes of a history.
package struct HistoryFilter: Sendable, Hashable {
  /// Nil for all sides.
  package var sides: Set<HistoryListing.Side>?
  /// Nil for all kinds.
  package var kinds: Set<HistoryChange.Kind>?
  /// Nil for all causes; only losses have a cause.
  package var causes: Set<LossCause>?
  /// Only changes found by snapshots that ended at this time or later, in microseconds since 1970.
  package var since: Int64?

  /// Creates a filter; it selects everything by default.
  package init(
    sides: Set<HistoryListing.Side>? = nil, kinds: Set<HistoryChange.Kind>? = nil,
    causes: Set<LossCause>? = nil, since: Int64? = nil
  ) {
    self.sides = sides
    self.kinds = kinds
    self.causes = causes
    self.since = since
  }

  func wants(_ change: HistoryChange) -> Bool {
    (kinds?.contains(change.kind) ?? true)
      && (causes.map { causes in change.loss.map { causes.contains($0.cause) } ?? false } ?? true)
  }
}

/// Reads a history.
package struct History: Sendable {
  private let store: any HistoryStore

  /// Creates a reader of a store.
  package init(_ store: any HistoryStore) { self.store = store }

  /// Changes found by snapshots of an actor, latest first.
  ///
  /// The changes of one snapshot at a time are held in memory.
  /// - Throws: ``HistoryError``, `noSnapshot` if none of the selected listings has a complete snapshot;
  ///   what the store throws.
  package func changes(
    of actor: DID, _ filter: HistoryFilter = HistoryFilter()
  ) async throws -> some AsyncSequence<HistoryChange, any Error> & Sendable {
    let complete = try await snapshots(of: actor, filter.sides).filter { $0.state == .complete }
    guard !complete.isEmpty else { throw HistoryError.noSnapshot(of: actor) }
    let found = complete.filter { snapshot in
      snapshot.counts.gained + snapshot.counts.lost > 0
        && filter.since.map { $0 <= snapshot.endedAt ?? 0 } ?? true
    }
    return Changes(store: store, filter: filter, snapshots: found)
  }

  /// All snapshots of an actor, oldest first.
  ///
  /// - Parameter sides: nil for all sides.
  /// - Throws: what the store throws.
  package func snapshots(of actor: DID, _ sides: Set<HistoryListing.Side>? = nil) async throws -> [Snapshot] {
    var found: [Snapshot] = []
    for listing in try await store.listings(of: actor) where sides?.contains(listing.side) ?? true {
      found += try await store.snapshots(of: listing)
    }
    return found.sorted { $0.id < $1.id }
  }

  /// Changes of one account on every listing of an actor, oldest first.
  ///
  /// - Throws: what the store throws.
  package func changes(of actor: DID, about account: DID) async throws -> [HistoryChange] {
    var changes: [HistoryChange] = []
    for listing in try await store.listings(of: actor) {
      let intervals = try await store.intervals(of: listing, about: account)
      guard !intervals.isEmpty else { continue }
      for snapshot in try await store.snapshots(of: listing) {
        let touched = intervals.filter { $0.first == snapshot.id || $0.lostIn == snapshot.id }
        changes += HistoryChange.changes(of: snapshot, touched)
      }
    }
    return changes.sorted { ($0.before, $0.snapshot) < ($1.before, $1.snapshot) }
  }

  /// The listings of an actor that contain an account, and since when: the end of the snapshot that first
  /// saw it, and whether that was the baseline.
  ///
  /// - Throws: what the store throws.
  package func presence(
    of account: DID, with actor: DID
  ) async throws -> [(listing: HistoryListing, since: Int64, isBaseline: Bool)] {
    var found: [(listing: HistoryListing, since: Int64, isBaseline: Bool)] = []
    for listing in try await store.listings(of: actor) {
      guard
        let open = try await store.intervals(of: listing, about: account).last(where: { $0.lostIn == nil }),
        let first = try await store.snapshots(of: listing).first(where: { $0.id == open.first })
      else { continue }
      found.append((listing, first.endedAt ?? first.startedAt, first.isBaseline))
    }
    return found
  }

  /// The difference between two snapshots of a listing, the earlier one first.
  ///
  /// - Throws: what the store throws.
  package func difference(
    of listing: HistoryListing, from earlier: SnapshotID, to later: SnapshotID
  ) async throws -> SnapshotDifference {
    let between = SnapshotID(number: earlier.number + 1)
    guard between <= later else { return SnapshotDifference(from: earlier, to: later, []) }
    return SnapshotDifference(
      from: earlier, to: later, try await store.intervals(of: listing, in: between...later))
  }

  /// Iterates over snapshots, latest first.
  private struct Changes: AsyncSequence, AsyncIteratorProtocol, Sendable {
    typealias Element = HistoryChange
    typealias Failure = any Error

    let store: any HistoryStore
    let filter: HistoryFilter
    /// The next one is last.
    var snapshots: [Snapshot]
    var waiting: ArraySlice<HistoryChange> = []

    func makeAsyncIterator() -> Changes { self }

    mutating func next() async throws -> HistoryChange? {
      while waiting.isEmpty {
        guard let snapshot = snapshots.popLast() else { return nil }
        let intervals = try await store.intervals(of: snapshot.listing, in: snapshot.id...snapshot.id)
        waiting = HistoryChange.changes(of: snapshot, intervals).filter(filter.wants)[...]
      }
      return waiting.popFirst()
    }
  }
}
