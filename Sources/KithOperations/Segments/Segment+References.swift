// SPDX-License-Identifier: Apache-2.0

import KithHistory

extension Segment {
  /// Whether its predicate names another segment.
  func refers(to name: String) -> Bool {
    let words = predicate.split { $0.isWhitespace || $0 == "(" || $0 == ")" }
    return zip(words, words.dropFirst()).contains { $0.lowercased() == "segment" && $1 == name }
  }
}
