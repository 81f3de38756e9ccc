// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships

extension GraphRow: PrintableRow {
  static let headings = ["GRAPH", "FOLLOWS", "ALSO ON BLUESKY", "FOLLOWERS"]

  func tableRow(at now: Datetime) -> TableRow {
    let others = otherSubjects > 0 ? " (and \(otherSubjects) that are not accounts)" : ""
    return TableRow(cells: [
      TableRow.Cell(graph.name, .strong), TableRow.Cell("\(follows)\(others)"),
      TableRow.Cell(alsoOnBluesky.map { "\($0)" } ?? ""),
      TableRow.Cell(followers.map { "\($0) or more" } ?? ""),
    ])
  }
}

extension GraphDifferenceRow: PrintableRow {
  static let headings = ["ACCOUNT", "FOLLOWED IN", "NAME"]

  func tableRow(at now: Datetime) -> TableRow {
    return TableRow(cells: [
      TableRow.Cell(view.name, whole: true),
      TableRow.Cell(graphs.map(\.name).joined(separator: ", ")), TableRow.Cell(view.displayName ?? ""),
    ])
  }
}
