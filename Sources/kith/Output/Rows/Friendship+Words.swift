// SPDX-License-Identifier: Apache-2.0

import KithRelationships

extension Friendship.Summary {
  /// The words of predicates that hold; nil for none.
  var words: String? {
    let holding = Relation.allCases.filter { $0.isOfFriends && $0.holds(for: self) == true }.map(\.rawValue)
    return holding.isEmpty ? nil : holding.joined(separator: ", ")
  }
}
