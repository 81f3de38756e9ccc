// SPDX-License-Identifier: Apache-2.0

/// How many points of the write budget may be spent.
///
/// Servers count a create as 3, an update as 2 and a delete as 1
/// <https://docs.bsky.app/docs/advanced-guides/rate-limits>.
public struct PointAllowance: Sendable, Hashable {
  /// The most points of a window that are reckoned with: more than anybody can spend, and little enough that no
  /// sum of a budget overflows.
  public static let mostPoints = 1_000_000_000

  /// Points that the server allows within an hour, unless it says otherwise; from 0 to ``mostPoints``.
  public let perHour: Int
  /// Points that the server allows within a day, unless it says otherwise; from 0 to ``mostPoints``.
  public let perDay: Int
  /// Percent of both that are left for normal use; from 0 to 99.
  public let leave: Int

  /// The reference server's limits, a fifth of which is left alone.
  ///
  /// Each is moved to the nearest number that is allowed.
  public init(perHour: Int = 5_000, perDay: Int = 35_000, leave: Int = 20) {
    self.perHour = Self.clamped(perHour)
    self.perDay = Self.clamped(perDay)
    self.leave = min(max(leave, 0), 99)
  }

  /// The nearest number of points that a window may have.
  static func clamped(_ points: Int) -> Int { min(max(points, 0), mostPoints) }

  /// The limit of a window.
  public subscript(window: PointWindow) -> Int { window == .hour ? perHour : perDay }
}
