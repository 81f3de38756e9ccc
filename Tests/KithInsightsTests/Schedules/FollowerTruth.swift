// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithHistory
import TestSupport
import Testing

/// What really happened among the followers of an account: who came, who left and why, and which of them the account
/// itself hid by a block.
struct FollowerTruth: Encodable {
  /// The time that an account followed.
  struct Stay: Encodable {
    let came: Instant
    var left: Instant?
    /// Why it left.
    var cause = LossCause.unfollowed
    /// The key of its record.
    let key: RecordKey

    var time: Range<Instant> { came..<(left ?? .distantFuture) }

    private enum CodingKeys: String, CodingKey {
      case came, left
    }
  }

  struct Account: Encodable {
    let did: DID
    /// In order.
    var stays: [Stay] = []
    /// While the account that it follows blocked it.
    var hidden: Range<Instant>?

    func stay(at moment: Instant) -> Stay? { stays.first { $0.time.contains(moment) } }

    /// Whether the AppView lists it.
    func isListed(at moment: Instant) -> Bool {
      stay(at: moment) != nil && hidden?.contains(moment) != true
    }

    /// Why it is not listed.
    func cause(at moment: Instant) -> LossCause {
      stay(at: moment) != nil ? .blocking : stays.last { $0.time.upperBound <= moment }?.cause ?? .unknown
    }

    private enum CodingKeys: String, CodingKey {
      case did, stays, hiddenFrom, hiddenUntil
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(did.description, forKey: .did)
      try container.encode(stays, forKey: .stays)
      try container.encode(hidden?.lowerBound, forKey: .hiddenFrom)
      try container.encode(hidden?.upperBound, forKey: .hiddenUntil)
    }
  }

  private(set) var accounts: [Account] = []

  /// Accounts that come and go at random before and during a time.
  ///
  /// - Parameter runs: when snapshots are taken; some accounts come in the middle of one.
  init(around time: Range<Instant>, runs: [Range<Instant>], _ numbers: inout SeededNumbers) throws {
    for number in 0..<Int.random(in: 0...160, using: &numbers) {
      var account = Account(did: try KithInsightsTests.account(number))
      let before = time.lowerBound - .days(900)..<time.lowerBound
      var came = (Bool.random(using: &numbers) ? before : time).random(&numbers)
      if Int.random(in: 0..<8, using: &numbers) == 0, let run = runs.randomElement(using: &numbers) {
        came = run.random(&numbers)
      }
      for _ in 0..<([1, 1, 1, 2, 3].randomElement(using: &numbers) ?? 1) where came < time.upperBound {
        var stay = Stay(came: came, key: try Self.key(of: came, &numbers))
        let end = (max(came, time.lowerBound)..<time.upperBound + .days(90)).random(&numbers)
        if Int.random(in: 0..<3, using: &numbers) > 0 {
          stay.left = end
          stay.cause = Self.causes.randomElement(using: &numbers) ?? .unfollowed
        }
        account.stays.append(stay)
        came = stay.left.map { ($0..<$0 + .days(60)).random(&numbers) } ?? time.upperBound
      }
      if Int.random(in: 0..<10, using: &numbers) == 0 {
        let start = time.random(&numbers)
        account.hidden = start..<(start..<time.upperBound + .days(30)).random(&numbers) + .seconds(1)
      }
      accounts.append(account)
    }
    if Int.random(in: 0..<3, using: &numbers) == 0 { blockTogether(after: time.random(&numbers), &numbers) }
  }

  /// Lets a third of those who follow at a moment block within a day.
  private mutating func blockTogether(after moment: Instant, _ numbers: inout SeededNumbers) {
    for index in accounts.indices where Int.random(in: 0..<3, using: &numbers) == 0 {
      guard let stay = accounts[index].stays.firstIndex(where: { $0.time.contains(moment) }) else { continue }
      accounts[index].stays.removeSubrange((stay + 1)...)
      accounts[index].stays[stay].left = (moment..<moment + .days(1)).random(&numbers) + .seconds(1)
      accounts[index].stays[stay].cause = .blockedBy
    }
  }

  private static let causes: [LossCause] = [.unfollowed, .unfollowed, .blockedBy, .deleted, .deactivated]

  /// A key that says when the record was made, or another time, or none.
  private static func key(of moment: Instant, _ numbers: inout SeededNumbers) throws -> RecordKey {
    let clock = UInt16.random(in: 0..<1_024, using: &numbers)
    switch Int.random(in: 0..<12, using: &numbers) {
    case 0: return try #require(RecordKey("key-\(clock)-\(moment.microsecondsSinceEpoch)"))
    case 1:
      let wrong = moment + .days(Int64.random(in: -400...90, using: &numbers))
      return try #require(RecordKey(TID(at: wrong, clockID: clock).description))
    default: return try #require(RecordKey(TID(at: moment, clockID: clock).description))
    }
  }
}

extension Range<Instant> {
  /// A moment of the time; its start if it is empty.
  func random(_ numbers: inout SeededNumbers) -> Instant {
    guard !isEmpty else { return lowerBound }
    let (start, end) = (lowerBound.microsecondsSinceEpoch, upperBound.microsecondsSinceEpoch)
    return Instant(microsecondsSinceEpoch: Int64.random(in: start..<end, using: &numbers))
  }
}
