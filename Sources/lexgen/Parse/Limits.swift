// SPDX-License-Identifier: Apache-2.0

/// The minimum and maximum of a schema; nil for no limit.
struct Limits: Hashable {
  var min: Int?
  var max: Int?

  var isEmpty: Bool { min == nil && max == nil }
}
