// SPDX-License-Identifier: Apache-2.0

/// The behavior of a PDS, in the few points in which real ones differ.
package enum SandboxDialect: String, Sendable, Hashable, CaseIterable {
  /// As Bluesky's PDS.
  case reference
  /// As a small PDS seen in the wild: errors in plain text, no validation, 400 for an existing or a missing
  /// record, only DIDs in write requests, colliding keys.
  case lenient
  /// As arroba: overwrites existing records, lists the oldest first with overlapping pages, does not
  /// support swaps.
  case arroba
}
