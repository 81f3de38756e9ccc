// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// A complete snapshot of a listing, as a history stores it.
public struct SnapshotFacts: Sendable, Hashable {
  /// Later snapshots have larger numbers, whatever the clock showed.
  public let number: Int64
  public var startedAt: Instant
  public var endedAt: Instant
  /// Whether it read the whole listing; only then it finds losses.
  public var isFull = true
  /// Whether it withheld losses, or could not read all of the listing.
  public var isDoubtful = false
  /// Whether it left the loss of some account open.
  public var hasUnconfirmed = false
  /// The accounts on the listing, those that came, and those that were lost since the snapshot before.
  public var listed: Int
  public var gained = 0
  public var lost = 0
  /// What the profile counted when it was taken; nil if that is not known.
  public var counted: Int?

  /// Creates the facts of a full snapshot without doubts.
  public init(number: Int64, from startedAt: Instant, to endedAt: Instant, listed: Int) {
    self.number = number
    self.startedAt = startedAt
    self.endedAt = endedAt
    self.listed = listed
  }

  /// Whether a wrong clock hides when it was taken, so that only the snapshots around it are known.
  package fileprivate(set) var isMisplaced = false

  /// Whether losses are known to be before it or after it.
  fileprivate var separatesLosses: Bool { isFull && !isDoubtful && !isMisplaced }
}

/// The complete snapshots of a listing in their order, with times that agree with it.
///
/// A clock that was wrong makes a later snapshot the earlier one. The times of the most snapshots that agree with
/// their order are believed; of the others, only the snapshots around them are known.
public struct SnapshotSeries: Sendable, Hashable {
  /// In the order in which they were taken, with the corrected times.
  public let snapshots: [SnapshotFacts]

  /// Orders snapshots.
  ///
  /// - Parameters:
  ///   - snapshots: in any order.
  ///   - now: a later time is wrong.
  public init(_ snapshots: [SnapshotFacts], now: Instant = .distantFuture) {
    self.snapshots = Self.corrected(snapshots.sorted { $0.number < $1.number }, now: now)
  }

  /// Full snapshots of which only the time and the count are known, in any order.
  public init(counts: [Sample<Int>]) {
    self.init(
      counts.sorted { $0.at < $1.at }.enumerated().map {
        SnapshotFacts(number: Int64($0), from: $1.at, to: $1.at, listed: $1.value)
      })
  }

  /// The count of each snapshot, in order of time.
  public var counts: [Sample<Int>] { snapshots.map { Sample<Int>(at: $0.endedAt, $0.listed) } }

  /// From the end of the first snapshot to that of the last one; nil if there is none.
  var time: ClosedRange<Instant>? {
    guard let first = snapshots.first, let last = snapshots.last else { return nil }
    return first.endedAt...max(first.endedAt, last.endedAt)
  }

  /// The first snapshot, and those that find all losses and have a time: between two of them, accounts were lost.
  var edges: [SnapshotFacts] {
    guard let first = snapshots.first else { return [] }
    return [first] + snapshots.dropFirst().filter(\.separatesLosses)
  }

  /// The median time between the last snapshots that find losses; nil if there are fewer than two.
  public var typicalDistance: Duration? {
    let ends = edges.suffix(Self.recentSnapshots + 1).map(\.endedAt)
    let distances = zip(ends, ends.dropFirst()).map { $1 - $0 }.sorted()
    return distances.isEmpty ? nil : distances[distances.count / 2]
  }

  private static let recentSnapshots = 10

  /// Snapshots in order, each with a time that is not before that of the one before it.
  private static func corrected(_ snapshots: [SnapshotFacts], now: Instant) -> [SnapshotFacts] {
    let times = snapshots.map { RecordedTime(from: $0.startedAt, to: $0.endedAt) }.corrected(until: now)
    return zip(snapshots, times).map { snapshot, time in
      var snapshot = snapshot
      (snapshot.startedAt, snapshot.endedAt, snapshot.isMisplaced) = (time.start, time.end, time.isMisplaced)
      return snapshot
    }
  }
}
