// SPDX-License-Identifier: Apache-2.0

/// The least and the most that a schema allows; nil where it sets no limit.
struct Limits: Hashable {
  var min: Int?
  var max: Int?

  var isEmpty: Bool { min == nil && max == nil }
}
