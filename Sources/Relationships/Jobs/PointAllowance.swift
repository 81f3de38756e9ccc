// SPDX-License-Identifier: Apache-2.0

/// How many points of the write budget may be spent.
///
/// Servers count a create as 3, an update as 2 and a delete as 1
/// <https://docs.bsky.app/docs/advanced-guides/rate-limits>.
public struct PointAllowance: Sendable, Hashable {
  /// Points that the server allows within an hour, unless it says otherwise.
  public var perHour: Int
  /// Points that the server allows within a day, unless it says otherwise.
  public var perDay: Int
  /// Percent of both that are left for normal use; from 0 to 99.
  public let leave: Int

  /// The reference server's limits, a fifth of which is left alone.
  ///
  /// - Parameter leave: percent; moved to the nearest of 0 to 99.
  public init(perHour: Int = 5_000, perDay: Int = 35_000, leave: Int = 20) {
    self.perHour = perHour
    self.perDay = perDay
    self.leave = min(max(leave, 0), 99)
  }

  /// The limit of a window.
  public subscript(window: PointWindow) -> Int { window == .hour ? perHour : perDay }
}
