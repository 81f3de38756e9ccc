// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithRelationships
import KithWriting

/// Messages about exports and imports.
extension Message {
  /// - Parameter file: the output file; nil for standard output.
  static func exportSummary(_ rows: Int, to file: String?, _ cost: CallCost, elapsed: Duration) -> Message {
    Message(
      .summary, .exportSummary,
      "\(counted(rows, "row")) written\(file.map { " to \($0)" } ?? ""); \(counted(cost.calls, "call")), "
        + "\(DurationText.seconds(elapsed)) s",
      [
        "rows": .integer(rows), "file": .text(file), "calls": .integer(cost.calls),
        "milliseconds": .milliseconds(elapsed),
      ])
  }

  /// What an import is about to do, by kind.
  static func importPreview(_ preview: ImportPreview) -> Message {
    Message(preparing: .importPlanned(preview))
  }
}

extension Message {
  /// A dry run shows rows that are not imported along with the others.
  static func statementsAreApart(_ kinds: [PortableRelationship.Kind]) -> Message {
    Message(preparing: .statementsAreApart(kinds))
  }
}
