// SPDX-License-Identifier: Apache-2.0

extension Int {
  /// The largest integer that every JSON parser represents exactly; no count on the network comes near it.
  package static let mostCounted = 1 << 53

  /// The number as a count sent by a server, clamped to zero and ``mostCounted``. Servers may send anything;
  /// the clamped value can be added to without overflow.
  package var asCount: Int { Swift.min(Swift.max(0, self), Self.mostCounted) }
}
