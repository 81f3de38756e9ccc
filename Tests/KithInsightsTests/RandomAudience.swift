// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithInsights

/// A listing whose members come and go at random between snapshots at random times, for JSON.
struct RandomAudience: Encodable {
  struct Member: Encodable {
    var after: Instant?
    var by: Instant
    var leftAfter: Instant?
    var left: Instant?
    var claimed: Instant?
    var isReturn: Bool
    var isSampled: Bool

    var membership: Membership {
      Membership(
        arrival: .init(after: after, by: by), departure: left.map { .init(after: leftAfter, by: $0) },
        claimed: claimed, isReturn: isReturn, isSampled: isSampled)
    }
  }

  static let day: Int64 = 86_400_000_000
  /// 20 October 2024: the clocks of all zones change within a year.
  static let start: Instant = 1_729_382_400_000_000

  let members: [Member]
  /// A time and a count each.
  let counts: [[Int64]]
  let snapshots: [Instant]
  let unit: String
  let zone: String
  let time: [Instant]?
  let isSampled: Bool

  var memberships: [Membership] { members.map(\.membership) }
  var counted: [Sample<Int>] { counts.map { Sample<Int>(at: Instant($0[0]), Int($0[1])) } }
  var calendarUnit: CalendarUnit { CalendarUnit(rawValue: unit) ?? .day }

  init(in zone: String, _ numbers: inout SeededNumbers) {
    self.zone = zone
    unit = (CalendarUnit.allCases.randomElement(using: &numbers) ?? .day).rawValue
    let isSample = Bool.random(using: &numbers)
    isSampled = isSample
    var (moments, moment) = ([Instant](), Self.start + Int64.random(in: 0..<Self.day, using: &numbers))
    for _ in 0..<Int.random(in: 1...60, using: &numbers) {
      moments.append(moment)
      moment += Int64.random(in: Self.day / 4...12 * Self.day, using: &numbers)
    }
    let whole = moments
    members = (0..<Int.random(in: 0...250, using: &numbers)).map { _ in
      let arrival = Int.random(in: 0..<whole.count, using: &numbers)
      let departure = Int.random(in: arrival..<(whole.count + 20), using: &numbers)
      let hasLeft = departure > arrival && departure < whole.count
      let claim = whole[arrival] - .microseconds(Int64.random(in: -9...900, using: &numbers) * Self.day / 3)
      return Member(
        after: arrival == 0 ? nil : whole[arrival - 1], by: whole[arrival],
        leftAfter: hasLeft ? whole[departure - 1] : nil, left: hasLeft ? whole[departure] : nil,
        claimed: Int.random(in: 0..<4, using: &numbers) > 0 ? claim : nil,
        isReturn: arrival > 0 && Int.random(in: 0..<8, using: &numbers) == 0,
        isSampled: !isSample || Bool.random(using: &numbers))
    }
    let known = members
    counts = whole.map { moment in
      [
        moment.microsecondsSinceEpoch,
        Int64(known.count { $0.by <= moment && $0.left.map { moment < $0 } ?? true }),
      ]
    }.shuffled(using: &numbers)
    snapshots = [whole.first ?? 0, whole.last ?? 0]
    let from = Self.start + .days(Int64.random(in: -400...200, using: &numbers))
    time =
      Bool.random(using: &numbers)
      ? nil : [from, from + .microseconds(Int64.random(in: 1...400, using: &numbers) * Self.day / 2)]
  }
}
