// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithInsights

/// A listing of which the truth is known, and what full snapshots at some times see of it.
struct WatchedListing {
  /// An account that came, and perhaps left; nil if it was there before the first snapshot.
  struct Member {
    var came: Instant?
    var left: Instant?
    /// Whether the time of its arrival is known.
    var isDated = true
    var isBlocker = false
  }

  /// Each takes no time.
  let snapshots: [Instant]
  private(set) var members: [Member] = []

  init(_ snapshots: [Instant]) { self.snapshots = snapshots.sorted() }

  /// Accounts that were there before the first snapshot.
  mutating func were(_ count: Int, left: Instant? = nil, isBlocker: Bool = false) {
    for _ in 0..<count { members.append(Member(left: left, isBlocker: isBlocker)) }
  }

  mutating func came(_ count: Int, at moment: Instant, left: Instant? = nil, isDated: Bool = true) {
    for _ in 0..<count { members.append(Member(came: moment, left: left, isDated: isDated)) }
  }

  /// The listing as the snapshots show it; accounts that no snapshot saw are missing.
  var history: ListingHistory {
    let memberships = members.compactMap { member -> Membership? in
      let came = member.came ?? .distantPast
      guard let first = snapshots.firstIndex(where: { came <= $0 }) else { return nil }
      if let left = member.left, left <= snapshots[first] { return nil }
      let lost = member.left.flatMap { left in snapshots.firstIndex { left <= $0 } }
      return Membership(
        arrival: .init(after: first == 0 ? nil : snapshots[first - 1], by: snapshots[first]),
        departure: lost.map { .init(after: snapshots[$0 - 1], by: snapshots[$0]) },
        isBlocker: member.isBlocker && lost != nil, claimed: member.isDated ? member.came : nil)
    }
    return ListingHistory(memberships, counts: counts)
  }

  /// What the snapshots list.
  var counts: [Sample<Int>] {
    snapshots.map { moment in
      Sample<Int>(
        at: moment,
        members.count { ($0.came ?? .distantPast) <= moment && $0.left.map { moment < $0 } ?? true })
    }
  }

  func flows(by unit: CalendarUnit, in time: Range<Instant>? = nil) -> [AudienceFlow] {
    AudienceFlow.flows(of: history, by: unit, in: time)
  }

  /// The flow of which a period is a part that snapshots enclose.
  func flow(_ name: String, by unit: CalendarUnit) throws -> AudienceFlow {
    let flows = flows(by: unit).filter { flow in flow.parts.contains { "\($0.period)" == name } }
    return try #require(flows.first(where: \.isObserved) ?? flows.first)
  }
}
