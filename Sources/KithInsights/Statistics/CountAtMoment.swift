// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// A count at a time.
public struct CountAtMoment: Sendable, Hashable {
  public let at: Instant
  public let count: Int

  /// Creates a count.
  public init(at moment: Instant, _ count: Int) {
    at = moment
    self.count = count
  }
}
