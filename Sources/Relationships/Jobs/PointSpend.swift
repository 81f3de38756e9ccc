// SPDX-License-Identifier: Apache-2.0

/// Points that were spent, or set aside for a commit that is on its way.
public struct PointSpend: Sendable, Hashable {
  /// When, in microseconds since 1970.
  public var at: Int64
  /// How many.
  public var points: Int

  /// Puts a spend together.
  public init(at: Int64, points: Int) {
    self.at = at
    self.points = points
  }
}
