// SPDX-License-Identifier: Apache-2.0

import KithRelationships

extension ViewerRelationship {
  /// The words in a table; nil if there is nothing to say.
  var words: String? {
    let word: String? =
      switch word {
      case .itself: "you"
      case .blockingEachOther: "you block each other"
      case .blocking: "you block"
      case .blockedBy: "blocks you"
      case .mutual: "mutual"
      case .following: "you follow"
      case .followedBy: "follows you"
      case .none: nil
      }
    let words = [word, muted == true ? "muted" : nil].compactMap(\.self)
    return words.isEmpty ? nil : words.joined(separator: ", ")
  }
}
