// SPDX-License-Identifier: Apache-2.0

/// A count at a time.
package struct CountAtMoment: Sendable, Hashable {
  /// In microseconds since 1970.
  package let at: Int64
  package let count: Int

  /// Creates a count.
  package init(at moment: Int64, _ count: Int) {
    at = moment
    self.count = count
  }
}
