// SPDX-License-Identifier: Apache-2.0

package import KithCore
package import KithRelationships

/// What a store knows of one account on one listing, and what events make of it.
///
/// An account is on a listing as long as one of its records is known to be there and nothing hides it. A stay names one
/// record. Beside the stays are the records that no stay names: further ones (Q16), and those of a hidden account; and for a
/// while those that were deleted, because a stream may tell again that they were made.
package struct ListedAccount: Sendable, Equatable {
  /// A time on the listing.
  package struct Stay: Sendable, Equatable {
    /// The key of its record; nil if it is unknown which one it is.
    package var key: RecordKey?
    /// When it was seen.
    package let seenBy: Instant
    /// Whether an event of a stream began it.
    package let isOfEvent: Bool
    /// When its end was seen; nil if it goes on.
    package var lostBy: Instant?
    /// Why it ended.
    package var cause: LossCause?

    package init(
      _ key: RecordKey?, seenBy: Instant, isOfEvent: Bool, lostBy: Instant? = nil, cause: LossCause? = nil
    ) {
      (self.key, self.seenBy, self.isOfEvent) = (key, seenBy, isOfEvent)
      (self.lostBy, self.cause) = (lostBy, cause)
    }

    /// Whether it is of a record that was made at a time. A stay of an unknown record is taken for one of any record that
    /// was made before its end. A record that is replaced is made at the time at which the former one is deleted.
    fileprivate func isOf(_ made: RecordKey, at moment: Instant) -> Bool {
      if let lostBy { return moment < lostBy && (key == nil || key == made) }
      return key == made
    }
  }

  /// A reason to hide the account.
  package struct Hiding: Sendable, Equatable {
    package var since: Instant
    /// When it ended; nil if it holds.
    package var until: Instant?

    package init(since: Instant, until: Instant? = nil) { (self.since, self.until) = (since, until) }
  }

  /// A record that no stay names.
  package struct Record: Sendable, Equatable {
    /// When it was deleted; nil if it is there.
    package var endedAt: Instant?

    package init(endedAt: Instant? = nil) { self.endedAt = endedAt }
  }

  /// What an event changed.
  package enum Step: Sendable, Equatable {
    /// The account is on the listing from now on.
    case began(RecordKey?)
    /// It is not any more.
    case ended(RecordKey?, LossCause, Evidence)
    /// It may be on the listing, or not: nothing is known of its records.
    case unresolved
  }

  /// Oldest first; only the last one may go on.
  package var stays: [Stay]
  /// By key; nil stands for a record of a hidden account whose key is unknown.
  package var records: [RecordKey?: Record]
  package var hidings: [LossCause: Hiding]

  package init(
    stays: [Stay] = [], records: [RecordKey?: Record] = [:], hidings: [LossCause: Hiding] = [:]
  ) {
    (self.stays, self.records, self.hidings) = (stays, records, hidings)
  }

  /// The stay that goes on.
  private var open: Stay? { stays.last.flatMap { $0.lostBy == nil ? $0 : nil } }

  /// What others need to know of it.
  package func standing(on listing: HistoryListing) -> ListingStanding {
    ListingStanding(
      listing: listing, isListed: open != nil, key: open?.key,
      hiddenBy: Set(hidings.filter { $0.value.until == nil }.keys), lostBy: stays.last?.cause)
  }

  private var isHidden: Bool { hidings.values.contains { $0.until == nil } }

  /// The key of a record that is there and that no stay names: that of the last stay if possible, a known one else; nil if
  /// there is none.
  private var remaining: RecordKey?? {
    let there = records.filter { $0.value.endedAt == nil }.keys
    if let last = stays.last, there.contains(last.key) { return last.key }
    let keys = there.compactMap(\.self).min { $0.description < $1.description }
    if let keys { return keys }
    return there.isEmpty ? .none : .some(nil)
  }

  /// A record was made.
  package mutating func made(_ key: RecordKey, at moment: Instant) -> Step? {
    // One that was restored has its old key.
    if let known = records[key], known.endedAt.map({ moment < $0 }) ?? true { return nil }
    if stays.contains(where: { $0.isOf(key, at: moment) }) { return nil }
    if let open, open.key == nil, (key.tid?.instant ?? moment) <= open.seenBy {
      // A record that was there already when the account was seen is taken for the one that was seen.
      stays[stays.count - 1].key = key
      records[key] = nil
      return nil
    }
    if open != nil || isHidden {
      records[key] = Record()
      return nil
    }
    records[key] = nil
    return begin(key, at: moment)
  }

  /// A record was deleted. Nothing changes if its key is not known.
  package mutating func deleted(_ key: RecordKey, at moment: Instant, _ cause: LossCause) -> Step? {
    if let known = records[key] {
      if known.endedAt == nil { records[key] = Record(endedAt: moment) }
      // The record that the stay is of may be gone, too: only its key would tell. The same if the event comes again, because
      // what was asked then may not have been answered.
      if known.endedAt ?? moment == moment, let open, open.key == nil, remaining == nil { return .unresolved }
      // A snapshot may have seen a record that was restored.
      guard let ended = known.endedAt, ended < moment else { return nil }
    }
    guard let open, open.key == key || open.key == nil, !(open.isOfEvent && moment <= open.seenBy),
      !stays.contains(where: { $0.key == key && moment <= $0.lostBy ?? .distantPast })
    else { return nil }
    // It may be one that was deleted before, and restored.
    guard open.key != nil else { return .unresolved }
    guard let next = remaining else { return end(cause, at: moment) }
    records[key] = Record(endedAt: moment)
    records[next] = nil
    stays[stays.count - 1].key = next
    return nil
  }

  /// Something hides the account.
  package mutating func hidden(
    _ cause: LossCause, _ evidence: Evidence = Evidence(), at moment: Instant
  ) -> Step? {
    if let known = hidings[cause], moment <= known.since || moment < known.until ?? .distantPast {
      return nil
    }
    // An account that has made a record since then is not hidden. What other accounts do, such as a block, may be told later.
    if let open, !cause.isBlock, open.isOfEvent, moment < open.seenBy { return nil }
    hidings[cause] = Hiding(since: moment)
    guard let open else { return nil }
    records[open.key] = Record()
    return end(cause, evidence, at: moment)
  }

  /// Nothing of the kinds hides the account any more.
  package mutating func shown(_ kinds: (LossCause) -> Bool, at moment: Instant) -> Step? {
    let ended = hidings.filter { cause, hiding in
      // Also those that the same event ended before: what was asked then may not have been answered.
      kinds(cause) && hiding.until ?? moment == moment && hiding.since <= moment
    }.keys
    for cause in ended { hidings[cause]?.until = moment }
    guard !ended.isEmpty, !isHidden, open == nil else { return nil }
    guard let key = remaining else {
      guard let last = stays.last, last.cause?.isHiding ?? false, records[last.key]?.endedAt == nil else {
        return nil
      }
      return .unresolved
    }
    records[key] = nil
    return begin(key, at: moment)
  }

  /// The account was deleted, and with it what it made: a block by the actor stays.
  package mutating func purged(at moment: Instant) -> Step? {
    for (cause, hiding) in hidings
    where cause != .blocking && hiding.until == nil && hiding.since <= moment {
      hidings[cause]?.until = moment
    }
    if let last = stays.last, last.isOfEvent && moment < last.seenBy || moment < last.lostBy ?? moment {
      return nil
    }
    endRecords(at: moment)
    return open == nil ? nil : end(.deleted, at: moment)
  }

  /// A server said that the account is not on the listing.
  package mutating func lost(_ loss: HistoryLoss, at moment: Instant) -> Step? {
    guard let open, !(open.isOfEvent && moment < open.seenBy) else { return nil }
    if loss.cause.isHiding { return hidden(loss.cause, loss.evidence, at: moment) }
    endRecords(at: moment)
    return end(loss.cause, loss.evidence, at: moment)
  }

  private mutating func endRecords(at moment: Instant) {
    for (key, record) in records where record.endedAt == nil {
      records[key] = key == nil ? nil : Record(endedAt: moment)
    }
  }

  private mutating func begin(_ key: RecordKey?, at moment: Instant) -> Step {
    stays.append(Stay(key, seenBy: moment, isOfEvent: true))
    return .began(key)
  }

  private mutating func end(
    _ cause: LossCause, _ evidence: Evidence = Evidence(), at moment: Instant
  ) -> Step {
    (stays[stays.count - 1].lostBy, stays[stays.count - 1].cause) = (moment, cause)
    return .ended(stays.last?.key, cause, evidence)
  }
}
