// SPDX-License-Identifier: Apache-2.0

/// How long an account was on a listing, as far as snapshots of it tell.
///
/// Moments are microseconds since 1970.
public struct Membership: Sendable, Hashable {
  /// That something happened between two snapshots.
  public struct Sighting: Sendable, Hashable {
    /// When it had not happened yet; nil for what the first snapshot found.
    public let after: Int64?
    /// When it had happened.
    public let by: Int64

    /// Puts two moments together.
    public init(after: Int64?, by moment: Int64) {
      self.after = after
      by = moment
    }
  }

  /// That it came.
  public let arrival: Sighting
  /// That it left; nil where it is still there.
  public let departure: Sighting?
  /// When it came by the word of whoever chose the key of its record; nil where there is none.
  public let claimed: Int64?
  /// Whether it was there before, and had left.
  public let isReturn: Bool

  /// Puts together what is known.
  public init(arrival: Sighting, departure: Sighting? = nil, claimed: Int64? = nil, isReturn: Bool = false) {
    self.arrival = arrival
    self.departure = departure
    self.claimed = claimed
    self.isReturn = isReturn
  }

  /// Whether the first snapshot found it.
  public var isFromBefore: Bool { arrival.after == nil }

  /// When it came; nil where only the first snapshot tells that it is there.
  ///
  /// A claim is believed where it agrees with the snapshots: who was not there yesterday did not come a year ago, whatever
  /// their record says.
  public var came: Int64? {
    if let claimed, claimed > arrival.after ?? Self.firstMoment, claimed <= arrival.by { return claimed }
    return isFromBefore ? nil : arrival.by
  }

  /// When its absence was found; nil where it is still there.
  public var left: Int64? { departure?.by }

  /// Nobody followed anybody before 2022, when the network began.
  private static let firstMoment: Int64 = 1_640_995_200_000_000
}
