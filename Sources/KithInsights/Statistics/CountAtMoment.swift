// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// A count at a time.
package struct CountAtMoment: Sendable, Hashable {
  package let at: Instant
  package let count: Int

  /// Creates a count.
  package init(at moment: Instant, _ count: Int) {
    at = moment
    self.count = count
  }
}
