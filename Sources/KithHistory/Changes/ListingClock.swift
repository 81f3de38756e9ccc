// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// When the snapshots of a listing were taken, corrected where the clock was wrong.
struct ListingClock: Sendable {
  private var starts: [ObservationID: Instant] = [:]
  private var gains: [ObservationID: Observation] = [:]
  private var losses: [ObservationID: Observation] = [:]

  /// - Parameters:
  ///   - snapshots: all snapshots of the listing, oldest first.
  ///   - now: a later time is wrong.
  init(_ snapshots: [Snapshot], until now: Instant) {
    let complete = snapshots.filter { $0.state == .complete }
    let recorded = complete.map { RecordedTime(from: $0.startedAt, to: $0.endedAt ?? $0.startedAt) }
    let times = recorded.corrected(until: now)
    guard times != recorded else { return }
    var (previous, certain) = (Instant?.none, Instant?.none)
    for (snapshot, time) in zip(complete, times) {
      var corrected = snapshot
      (corrected.startedAt, corrected.endedAt) = (time.start, time.end)
      (corrected.previousAt, corrected.previousFullAt) = (previous, certain)
      starts[snapshot.id] = time.start
      gains[snapshot.id] = corrected.ofGains
      losses[snapshot.id] = corrected.ofLosses
      previous = time.start
      if snapshot.extent == .full, snapshot.counts.unconfirmed == 0 { certain = time.start }
    }
  }

  /// When a snapshot began.
  func start(of snapshot: Snapshot) -> Instant { starts[snapshot.id] ?? snapshot.startedAt }

  /// What was seen of accounts that left; an event says itself when it happened.
  func ofLosses(_ seen: Observation) -> Observation { losses[seen.id] ?? seen }

  func corrected(_ interval: HistoryInterval) -> HistoryInterval {
    HistoryInterval(
      interval.edge, first: gains[interval.first.id] ?? interval.first,
      lostIn: interval.lostIn.map(ofLosses), loss: interval.loss, isReturn: interval.isReturn)
  }
}
