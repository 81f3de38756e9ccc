// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// The time an account was on a listing, as far as snapshots show.
public struct Membership: Sendable, Hashable {
  /// An event between two snapshots.
  public struct TimeBounds: Sendable, Hashable {
    /// The last time before the event; nil for what the first snapshot found.
    public let after: Instant?
    /// The first time after the event.
    public let by: Instant

    /// Creates a sighting.
    public init(after: Instant?, by moment: Instant) {
      self.after = after
      by = moment
    }
  }

  /// Its arrival.
  public let arrival: TimeBounds
  /// Its departure; nil if it is still there.
  public let departure: TimeBounds?
  /// The arrival time that the record key claims; nil if there is none.
  public let claimed: Instant?
  /// Whether it was on the listing before, and had left.
  public let isReturn: Bool
  /// Whether it was asked for its record key; false if only a sample without it was.
  public let isSampled: Bool

  /// Creates a membership.
  public init(
    arrival: TimeBounds, departure: TimeBounds? = nil, claimed: Instant? = nil, isReturn: Bool = false,
    isSampled: Bool = true
  ) {
    self.arrival = arrival
    self.departure = departure
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

  /// When its departure was found; nil if it is still there.
  public var leftAt: Instant? { departure?.by }
}
