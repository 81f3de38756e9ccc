// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// One item of an account's feed: a post of its own, or a repost of another account's.
struct Post: Sendable, Hashable {
  /// The kind of content.
  enum Kind: Sendable {
    case text, images, video, link, quote, reply
    /// A repost; see ``PostTimeline/items(of:in:)``.
    case repost
  }

  /// The author, as a number in the network.
  let author: Int
  /// When it was created; whole milliseconds, the precision of datetimes.
  let moment: Instant
  let kind: Kind
  /// Random bits for everything else about it; of no meaning for one that a user has written.
  let traits: UInt64
  /// What a user has written; nil for a generated item.
  var written: Written?

  /// The key of its record, unique among the items of the account.
  var key: RecordKey { written?.key ?? RecordKey(tid: TID(at: moment, clockID: 0)) }

  /// Its CID, which is generated like all CIDs of this network.
  var cid: CID { written?.cid ?? Identities.cid(seed: traits) }

  var madeAt: Datetime { Datetime(at: moment) }

  /// The hour of the day in UTC.
  var hour: Int { Int(moment.secondsSinceEpoch / 3_600 % 24) }

  /// The day in UTC, in days since 1970.
  var day: Int { Self.day(of: moment) }

  var isOnWeekend: Bool { Self.isWeekend(day: day) }

  static func day(of moment: Instant) -> Int { Int(moment.secondsSinceEpoch.flooredQuotient(86_400)) }

  /// 1 January 1970 was a Thursday.
  static func isWeekend(day: Int) -> Bool { 2...3 ~= day % 7 }
}
