// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships

extension AccountMarks.Label {
  /// The label and who says so: `spam (by labels.test)`.
  ///
  /// - Parameters:
  ///   - author: the account that the label is about, or that has written what it is about.
  ///   - sourceName: what people know its source by; nil if unknown.
  func text(about author: DID, by sourceName: String? = nil) -> String {
    source == author ? "\(value) (its own label)" : "\(value) (by \(sourceName ?? source.description))"
  }
}
