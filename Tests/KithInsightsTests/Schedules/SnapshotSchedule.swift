// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport

/// When somebody's snapshots were taken, and what became of them.
struct SnapshotSchedule {
  /// What became of a snapshot.
  enum Outcome {
    case full
    /// It read the newest accounts only.
    case incremental
    /// Some of the losses are left open, such as those of accounts whose servers did not respond.
    case open
    /// The AppView showed this share of the accounts only. If the others were asked, it is known that they are still
    /// there; else their losses wait.
    case outage(Double, asks: Bool)
    case failed, interrupted
  }

  struct Snapshot {
    /// From its beginning to its end, by the true time.
    let time: Range<Instant>
    /// When the accounts were read.
    let read: Instant
    var outcome = Outcome.full
    /// How far the clock was wrong.
    var clockError = Duration.zero

    var startedAt: Instant { time.lowerBound + clockError }
    var endedAt: Instant { time.upperBound + clockError }
  }

  private(set) var snapshots: [Snapshot] = []

  /// The tables of time zones in these tests end in 2027.
  private static let longest = Duration.days(700)

  /// Twice a day, daily, weekly, monthly, or now and then; at any hour, with snapshots that are missing or taken by
  /// hand, with months of nothing, outages, and a clock that was wrong.
  init(from start: Instant, _ numbers: inout SeededNumbers) {
    let rhythm = Rhythm.allCases.randomElement(using: &numbers) ?? .daily
    let most = Int.random(in: 1...rhythm.most, using: &numbers)
    let delay = [60, 600, 3 * 3_600].randomElement(using: &numbers) ?? 60
    let missing = [0, 0, 7].randomElement(using: &numbers) ?? 0
    let extra = [0, 0, 20].randomElement(using: &numbers) ?? 0
    let gap = [0, 0, 25].randomElement(using: &numbers) ?? 0
    func happens(once many: Int, _ numbers: inout SeededNumbers) -> Bool {
      many > 0 && Int.random(in: 0..<many, using: &numbers) == 0
    }
    var moment = start
    while snapshots.count < most, moment < start + Self.longest {
      let due = moment + .seconds(Int.random(in: 0..<delay, using: &numbers))
      if !happens(once: missing, &numbers) { add(at: due, &numbers) }
      if happens(once: extra, &numbers) { add(at: due + .seconds(66 * 60), &numbers) }
      moment += rhythm.wait(&numbers)
      if happens(once: gap, &numbers) { moment += .days(Int64.random(in: 20...200, using: &numbers)) }
    }
    disturb(&numbers)
  }

  private mutating func add(at moment: Instant, _ numbers: inout SeededNumbers) {
    let length = [2, 30, 900].randomElement(using: &numbers) ?? 2
    let time = moment..<moment + .seconds(length)
    // The one that is due may have begun after the one that was taken by hand.
    if let last = snapshots.last, last.time.upperBound >= time.lowerBound { return }
    snapshots.append(Snapshot(time: time, read: time.random(&numbers)))
  }

  /// Lets snapshots be incremental, fail, and see an outage or a wrong clock.
  private mutating func disturb(_ numbers: inout SeededNumbers) {
    chooseOutcomes(&numbers)
    guard snapshots.count >= 8, Int.random(in: 0..<3, using: &numbers) == 0 else { return }
    // Further than all others are apart, so that it is clear which of them are wrong.
    let last = snapshots[snapshots.count - 1].time.upperBound
    let error = last - snapshots[0].time.lowerBound + .days(Int64.random(in: 30...400, using: &numbers))
    let wrong = Int.random(in: 4..<snapshots.count, using: &numbers)
    let isBehind = Bool.random(using: &numbers)
    for index in snapshots.indices[wrong...].prefix(Int.random(in: 1...2, using: &numbers)) {
      snapshots[index].clockError = isBehind ? .zero - error : error
    }
  }

  private mutating func chooseOutcomes(_ numbers: inout SeededNumbers) {
    let isIncremental = Int.random(in: 0..<4, using: &numbers) == 0
    var full = snapshots.first?.time.lowerBound ?? .epoch
    for index in snapshots.indices.dropFirst() {
      // A full one at least once a week.
      if isIncremental, snapshots[index].time.lowerBound - full < .days(7) {
        snapshots[index].outcome = .incremental
      } else {
        full = snapshots[index].time.lowerBound
      }
      switch Int.random(in: 0..<90, using: &numbers) {
      case 0: snapshots[index].outcome = .failed
      case 1: snapshots[index].outcome = .interrupted
      case 2...4 where !isIncremental: snapshots[index].outcome = .open
      default: break
      }
    }
    if Int.random(in: 0..<3, using: &numbers) == 0,
      let index = snapshots.indices.dropFirst().randomElement(using: &numbers)
    {
      let share = Bool.random(using: &numbers) ? 0 : Double.random(in: 0..<0.7, using: &numbers)
      snapshots[index].outcome = .outage(share, asks: Bool.random(using: &numbers))
    }
  }

  private enum Rhythm: CaseIterable {
    case twiceADay, daily, weekly, monthly, rarely

    var most: Int {
      switch self {
      case .twiceADay, .daily: 80
      case .weekly, .rarely: 40
      case .monthly: 16
      }
    }

    func wait(_ numbers: inout SeededNumbers) -> Duration {
      switch self {
      case .twiceADay: .seconds(12 * 3_600)
      case .daily: .days(1)
      case .weekly: .days(7)
      case .monthly: .days(Int64.random(in: 28...31, using: &numbers))
      case .rarely: .seconds(Int64.random(in: 3_600...60 * 86_400, using: &numbers))
      }
    }
  }
}
