// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// An account that came to a listing or left it, between two snapshots.
public struct HistoryChange: Sendable, Hashable {
  /// What happened.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    case gained
    /// Gained, after it was lost before.
    case returned
    case lost
  }

  public let listing: HistoryListing
  public let edge: HistoryEdge
  public let kind: Kind
  /// Why, and how that was learned, for ``Kind/lost``.
  public let loss: HistoryLoss?
  /// The snapshot that found it.
  public let snapshot: SnapshotID
  /// It happened after this time, in microseconds since 1970: when the snapshot began by which it had not happened yet.
  public let after: Int64
  /// It happened before this time: when the snapshot ended that found it.
  public let before: Int64

  public var account: DID { edge.account }
}

extension HistoryChange {
  /// What a snapshot found; nothing where it is not complete or the first one, whose accounts are not gains.
  ///
  /// Losses come first.
  /// - Parameter intervals: those that begin or end with the snapshot.
  static func changes(of snapshot: Snapshot, _ intervals: [HistoryInterval]) -> [HistoryChange] {
    guard let end = snapshot.endedAt, snapshot.state == .complete, let previous = snapshot.previousAt else {
      return []
    }
    let losses = intervals.filter { $0.lostIn == snapshot.id }.map { interval in
      HistoryChange(
        listing: snapshot.listing, edge: interval.edge, kind: .lost, loss: interval.loss,
        snapshot: snapshot.id, after: snapshot.previousFullAt ?? previous, before: end)
    }
    // An account that the AppView shows again stands anywhere in the listing, and only a full snapshot looks there.
    let afterOfGains = snapshot.extent == .full ? snapshot.previousFullAt ?? previous : previous
    let gains = intervals.filter { $0.first == snapshot.id }.map { interval in
      HistoryChange(
        listing: snapshot.listing, edge: interval.edge, kind: interval.isReturn ? .returned : .gained,
        loss: nil, snapshot: snapshot.id, after: afterOfGains, before: end)
    }
    return losses + gains
  }
}

/// How the accounts of a listing differ between two snapshots; what came and went between them is left out.
public struct SnapshotDifference: Sendable, Hashable {
  public private(set) var gained: [HistoryEdge] = []
  public private(set) var lost: [HistoryLoss] = []

  /// Compares two snapshots of a listing, the earlier one first.
  ///
  /// - Parameter intervals: all that begin or end after the first and up to the second.
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

/// Which changes of a history are wanted.
public struct HistoryFilter: Sendable, Hashable {
  /// Nil for all.
  public var sides: Set<HistoryListing.Side>?
  /// Nil for all.
  public var kinds: Set<HistoryChange.Kind>?
  /// Nil for all; a cause is that of a loss.
  public var causes: Set<LossCause>?
  /// Only what snapshots found that ended then or later, in microseconds since 1970.
  public var since: Int64?

  /// Wants everything, but for what is narrowed.
  public init(
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
public struct History: Sendable {
  private let store: any HistoryStore

  /// Reads what a store holds.
  public init(_ store: any HistoryStore) { self.store = store }

  /// What snapshots of an actor found, the latest first.
  ///
  /// What one snapshot found is held in memory at a time.
  /// - Throws: ``HistoryError``, `noSnapshot` where no listing of the actor that is wanted has a complete snapshot; what
  ///   the store throws.
  public func changes(
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

  /// All snapshots of an actor, the oldest first.
  ///
  /// - Parameter sides: of which sides; nil for all.
  /// - Throws: what the store throws.
  public func snapshots(of actor: DID, _ sides: Set<HistoryListing.Side>? = nil) async throws -> [Snapshot] {
    var found: [Snapshot] = []
    for listing in try await store.listings(of: actor) where sides?.contains(listing.side) ?? true {
      found += try await store.snapshots(of: listing)
    }
    return found.sorted { $0.id < $1.id }
  }

  /// What became of one account on every listing of an actor, the oldest change first.
  ///
  /// - Throws: what the store throws.
  public func changes(of actor: DID, about account: DID) async throws -> [HistoryChange] {
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

  /// Which listings of an actor an account is on, and since when: the end of the snapshot that first saw it, and whether
  /// that was the first of the listing.
  ///
  /// - Throws: what the store throws.
  public func presence(
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

  /// How a listing differs between two of its snapshots, the earlier one first.
  ///
  /// - Throws: what the store throws.
  public func difference(
    of listing: HistoryListing, from earlier: SnapshotID, to later: SnapshotID
  ) async throws -> SnapshotDifference {
    let between = SnapshotID(number: earlier.number + 1)
    guard between <= later else { return SnapshotDifference(from: earlier, to: later, []) }
    return SnapshotDifference(
      from: earlier, to: later, try await store.intervals(of: listing, in: between...later))
  }

  /// Goes through snapshots, the latest first.
  private struct Changes: AsyncSequence, AsyncIteratorProtocol, Sendable {
    typealias Element = HistoryChange
    typealias Failure = any Error

    let store: any HistoryStore
    let filter: HistoryFilter
    /// The next one last.
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
