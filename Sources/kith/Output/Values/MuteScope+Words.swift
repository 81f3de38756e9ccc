// SPDX-License-Identifier: Apache-2.0

import KithRelationships

extension MuteScope {
  /// The part that is muted, for people: `only reposts`; nil if everything is.
  var partWords: String? { self == .everything ? nil : "only \(rawValue)" }
}
