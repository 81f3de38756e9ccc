// SPDX-License-Identifier: Apache-2.0

/// A count at a time.
public struct CountAtMoment: Sendable, Hashable {
  /// In microseconds since 1970.
  public let at: Int64
  public let count: Int

  /// Creates a count.
  public init(at moment: Int64, _ count: Int) {
    at = moment
    self.count = count
  }
}
