// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// The two snapshots that are compared to tell who came and who left.
public struct SnapshotPair: Sendable, Hashable {
  public let first: SnapshotFacts
  public let last: SnapshotFacts
  /// When the listing was last read to its end. A follower that was hidden or disappeared since then is not found yet.
  public let readUntil: Instant
}

extension SnapshotSeries {
  /// The last snapshot without doubt before the end of a time range, and the one before it that is closest to the start
  /// of the range; nil if there is none before it.
  public func pair(in time: Range<Instant>) -> SnapshotPair? {
    let known = snapshots.filter { !$0.isDoubtful && !$0.isMisplaced && $0.endedAt < time.upperBound }
    guard let last = known.last else { return nil }
    let edges = edges.filter { $0.number <= last.number }
    let first = edges.filter { $0.number < last.number }.min {
      time.lowerBound.distance(to: $0.endedAt) < time.lowerBound.distance(to: $1.endedAt)
    }
    return first.map { first in
      SnapshotPair(first: first, last: last, readUntil: edges.last?.endedAt ?? first.endedAt)
    }
  }

  /// The last snapshot without doubt before a time; nil if there is none.
  public func last(before end: Instant) -> SnapshotFacts? {
    snapshots.last { !$0.isDoubtful && !$0.isMisplaced && $0.endedAt < end }
  }
}
