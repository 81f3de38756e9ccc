// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// The time an account was on a listing, as shown by snapshots.
public struct Membership: Sendable, Hashable {
  /// An event between two snapshots.
  public struct TimeBounds: Sendable, Hashable {
    /// The last time before the event; nil for what the first snapshot found.
    public let after: Instant?
    /// The first time after the event.
    public let by: Instant

    /// Creates bounds.
    public init(after: Instant?, by moment: Instant) {
      self.after = after
      by = moment
    }
  }

  /// A time in which the actor's own block hid the account, so that no listing shows whether it stayed.
  public struct Absence: Sendable, Hashable {
    /// When it was hidden.
    public let hidden: TimeBounds
    /// When it was shown again; nil if it is hidden still.
    public var shown: TimeBounds?

    /// Creates an absence.
    public init(hidden: TimeBounds, shown: TimeBounds? = nil) {
      self.hidden = hidden
      self.shown = shown
    }
  }

  /// Its arrival.
  public let arrival: TimeBounds
  /// Its departure; nil if it is still there, or hidden.
  public let departure: TimeBounds?
  /// Whether it is gone because it blocks the actor.
  public let isBlocker: Bool
  /// The times in which it was hidden, in order.
  public let absences: [Absence]
  /// The arrival time that the record key claims; nil if there is none.
  public let claimed: Instant?
  /// Whether it was on the listing before, and had left.
  public let isReturn: Bool
  /// Whether it was asked for its record key; false if only a sample without it was.
  public let isSampled: Bool

  /// Creates a membership.
  public init(
    arrival: TimeBounds, departure: TimeBounds? = nil, isBlocker: Bool = false, absences: [Absence] = [],
    claimed: Instant? = nil, isReturn: Bool = false, isSampled: Bool = true
  ) {
    self.arrival = arrival
    self.departure = departure
    self.isBlocker = isBlocker
    self.absences = absences
    self.claimed = claimed
    self.isReturn = isReturn
    self.isSampled = isSampled
  }

  /// Whether the first snapshot found it.
  public var isFromBefore: Bool { arrival.after == nil }

  /// When it arrived, according to its record; nil if that is unknown or contradicts the snapshots: an account that
  /// was missing yesterday did not arrive a year ago, whatever its record claims.
  public var datedArrival: Instant? {
    if let claimed, claimed > arrival.after ?? Instant.networkBegan, claimed <= arrival.by { return claimed }
    return arrival.after == arrival.by ? arrival.by : nil
  }

  /// When it arrived, or was first seen; nil if only the first snapshot shows that it is there.
  public var arrivedAt: Instant? { datedArrival ?? (isFromBefore ? nil : arrival.by) }

  /// When its departure was found; nil if it is still there, or hidden.
  public var leftAt: Instant? { departure?.by }
}
