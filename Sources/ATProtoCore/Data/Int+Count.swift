// SPDX-License-Identifier: Apache-2.0

extension Int {
  /// The largest number that every reader of JSON takes as it is; no count on the network comes near it.
  package static let mostCounted = 1 << 53

  /// The number as a count of a server, which may say anything: zero where it is less, ``mostCounted`` where it is
  /// more, so that it can be added to.
  package var asCount: Int { Swift.min(Swift.max(0, self), Self.mostCounted) }
}
