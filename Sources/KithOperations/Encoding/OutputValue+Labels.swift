// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships

extension OutputValue {
  /// Labels, each with its value and source.
  static func labels(_ labels: [AccountMarks.Label]) -> OutputValue {
    .array(
      labels.map { label in
        .object([
          OutputField("value", .string(label.value)),
          OutputField("source", .string(label.source.description)),
        ])
      })
  }
}
