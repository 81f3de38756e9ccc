// SPDX-License-Identifier: Apache-2.0

/// How many there were when somebody counted.
public struct CountAtMoment: Sendable, Hashable {
  /// In microseconds since 1970.
  public let at: Int64
  public let count: Int

  /// Puts a moment and a count together.
  public init(at moment: Int64, _ count: Int) {
    at = moment
    self.count = count
  }
}
