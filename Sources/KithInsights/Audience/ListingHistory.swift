// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// The stays of accounts on a listing, with the snapshots and events that saw them.
///
/// Stays that ended may have been deleted since. The snapshots still count them, which shows how many are
/// missing.
public struct ListingHistory: Sendable {
  /// What saw an account come or leave.
  public enum Sight: Sendable, Hashable {
    /// A snapshot, by its number.
    case snapshot(Int64)
    /// An event of a stream, which says when it happened.
    case event(at: Instant)
  }

  /// A stay as a history stores it: from the observation that first saw the account to the one that lost it.
  public struct Stay: Sendable, Hashable {
    public let first: Sight
    /// Nil if the account is still there.
    public let lostIn: Sight?
    /// Why it ended, if it did.
    public var ending = Ending.left
    /// The time of arrival that the record key claims.
    public var claimed: Instant?
    /// Whether the account was there before.
    public var isReturn = false
    /// Whether it continues the stay of this account that was added last, which the actor's own block interrupted.
    public var isShownAgain = false
    /// Whether the account was asked for its record key; false if only a sample without it was.
    public var isSampled = true

    /// Creates a stay.
    public init(first: Sight, lostIn: Sight? = nil) {
      self.first = first
      self.lostIn = lostIn
    }
  }

  /// How a stay ended.
  public enum Ending: Sendable, Hashable {
    case left
    /// The account blocks the actor.
    case blocked
    /// The actor's own block hides the account.
    case hidden
  }

  /// The gains and losses of a snapshot whose accounts were deleted since.
  struct Unnamed: Sendable, Hashable {
    /// The time of the arrivals.
    let arrival: Membership.TimeBounds
    /// The time of the losses.
    let departure: Membership.TimeBounds
    var gained: Int
    var lost: Int
  }

  /// The snapshots.
  public let series: SnapshotSeries
  /// The periods that accounts were on the listing.
  public private(set) var memberships: [Membership] = []

  private struct Times {
    let arrival: Membership.TimeBounds
    let departure: Membership.TimeBounds
  }

  private let times: [Int64: Times]
  /// Whether stays are added, so that those that are not were deleted.
  private let knowsStays: Bool
  private var gained: [Int64: Int] = [:]
  private var lost: [Int64: Int] = [:]

  /// Creates a history without accounts.
  public init(_ series: SnapshotSeries = SnapshotSeries([])) { self.init(series, knowsStays: true) }

  private init(_ series: SnapshotSeries, knowsStays: Bool) {
    self.series = series
    self.knowsStays = knowsStays
    var times: [Int64: Times] = [:]
    var (previous, certain) = (SnapshotFacts?.none, SnapshotFacts?.none)
    for snapshot in series.snapshots {
      // An account that the AppView shows again may be anywhere in the listing, and only a full snapshot reads
      // that far.
      let sinceFull = (certain ?? previous)?.startedAt
      times[snapshot.number] = Times(
        arrival: .init(after: snapshot.isFull ? sinceFull : previous?.startedAt, by: snapshot.endedAt),
        departure: .init(after: sinceFull, by: snapshot.endedAt))
      previous = snapshot
      if snapshot.isFull, !snapshot.hasUnconfirmed { certain = snapshot }
    }
    self.times = times
  }

  /// A history of which only the memberships and the counts are known.
  public init(_ memberships: some Sequence<Membership>, counts: [Sample<Int>]) {
    self.init(SnapshotSeries(counts: counts), knowsStays: false)
    self.memberships = Array(memberships)
  }

  /// Adds a stay; those of one account one after the other, in order of time.
  ///
  /// - Returns: the membership of which it is the whole or the last part; nil if it does not belong to a snapshot of the
  ///   series.
  @discardableResult
  public mutating func add(_ stay: Stay) -> Membership? {
    guard let arrival = sighting(stay.first, \.arrival) else { return nil }
    if case .snapshot(let number) = stay.first { gained[number, default: 0] += 1 }
    if case .snapshot(let number)? = stay.lostIn { lost[number, default: 0] += 1 }
    let end = stay.lostIn.flatMap { sighting($0, \.departure) }
    let membership: Membership
    if stay.isShownAgain, let last = memberships.last, last.isHidden {
      memberships.removeLast()
      membership = last.shown(again: arrival, until: end, stay.ending)
    } else {
      membership = Membership(
        arrival: arrival, departure: stay.ending == .hidden ? nil : end,
        isBlocker: end != nil && stay.ending == .blocked,
        absences: stay.ending == .hidden ? end.map { [Membership.Absence(hidden: $0)] } ?? [] : [],
        claimed: stay.claimed, isReturn: stay.isReturn, isSampled: stay.isSampled)
    }
    memberships.append(membership)
    return membership
  }

  private func sighting(
    _ sight: Sight, _ side: KeyPath<Times, Membership.TimeBounds>
  ) -> Membership.TimeBounds? {
    switch sight {
    case .snapshot(let number): times[number]?[keyPath: side]
    case .event(let moment): Membership.TimeBounds(after: moment, by: moment)
    }
  }

  /// What the snapshots counted and no stay shows.
  var unnamed: [Unnamed] { knowsStays ? series.snapshots.compactMap(missing) : [] }

  private func missing(from snapshot: SnapshotFacts) -> Unnamed? {
    guard let times = times[snapshot.number] else { return nil }
    // The accounts of the first snapshot are not gains.
    let came = times.arrival.after == nil ? snapshot.listed : snapshot.gained
    let missing = Unnamed(
      arrival: times.arrival, departure: times.departure,
      gained: max(0, came - (gained[snapshot.number] ?? 0)),
      lost: max(0, snapshot.lost - (lost[snapshot.number] ?? 0)))
    return missing.gained > 0 || missing.lost > 0 ? missing : nil
  }
}

extension Membership {
  /// Whether the actor's own block hides it.
  var isHidden: Bool { absences.last.map { $0.shown == nil } ?? false }

  /// The same membership, with the stay that followed the last absence.
  fileprivate func shown(
    again moment: TimeBounds, until end: TimeBounds?, _ ending: ListingHistory.Ending
  ) -> Membership {
    var absences = absences
    absences[absences.count - 1].shown = moment
    if ending == .hidden, let end { absences.append(Absence(hidden: end)) }
    return Membership(
      arrival: arrival, departure: ending == .hidden ? nil : end,
      isBlocker: end != nil && ending == .blocked, absences: absences, claimed: claimed, isReturn: isReturn,
      isSampled: isSampled)
  }
}
