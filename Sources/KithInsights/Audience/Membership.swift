// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// The time an account was on a listing, as far as snapshots show.
package struct Membership: Sendable, Hashable {
  /// An event between two snapshots.
  package struct Sighting: Sendable, Hashable {
    /// The last time before the event; nil for what the first snapshot found.
    package let after: Instant?
    /// The first time after the event.
    package let by: Instant

    /// Creates a sighting.
    package init(after: Instant?, by moment: Instant) {
      self.after = after
      by = moment
    }
  }

  /// Its arrival.
  package let arrival: Sighting
  /// Its departure; nil if it is still there.
  package let departure: Sighting?
  /// The arrival time that the record key claims; nil if there is none.
  package let claimed: Instant?
  /// Whether it was on the listing before, and had left.
  package let isReturn: Bool
  /// Whether it was asked for its record key; false if only a sample without it was.
  package let isSampled: Bool

  /// Creates a membership.
  package init(
    arrival: Sighting, departure: Sighting? = nil, claimed: Instant? = nil, isReturn: Bool = false,
    isSampled: Bool = true
  ) {
    self.arrival = arrival
    self.departure = departure
    self.claimed = claimed
    self.isReturn = isReturn
    self.isSampled = isSampled
  }

  /// Whether the first snapshot found it.
  package var isFromBefore: Bool { arrival.after == nil }

  /// When it arrived; nil if only the first snapshot shows that it is there.
  ///
  /// A claimed time is used if it agrees with the snapshots: an account that was missing yesterday did not
  /// arrive a year ago, whatever its record claims.
  package var came: Instant? {
    if let claimed, claimed > arrival.after ?? Instant.networkBegan, claimed <= arrival.by { return claimed }
    return isFromBefore ? nil : arrival.by
  }

  /// When its departure was found; nil if it is still there.
  package var left: Instant? { departure?.by }
}
