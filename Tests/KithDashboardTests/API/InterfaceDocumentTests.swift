// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import KithDashboard

struct InterfaceDocumentTests {
  /// `make wording` writes the table.
  @Test func theQuestionsOfProgramsStandInTheDocument() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../docs/DASHBOARD.md").standardized
    let head = "| name | parameters | fields of a row |\n|---|---|---|\n"
    let text = try String(contentsOf: file, encoding: .utf8)
    var parts = text.components(separatedBy: head)
    try #require(parts.count == 2, "docs/DASHBOARD.md lacks the table of questions")
    if WordingCatalogue.isWritten {
      let end = parts[1].range(of: "\n\n")?.lowerBound ?? parts[1].endIndex
      parts[1] = String(Self.table.dropLast() + parts[1][end...])
      try Data(parts.joined(separator: head).utf8).write(to: file)
    }
    #expect(parts[1].hasPrefix(Self.table), "make wording")
  }

  private static var table: String {
    APIRead.all.map { read in
      let parameters = read.parameters.dropLast().map { "`\($0.name)` (\($0.meaning))" }.joined(
        separator: ", ")
      let fields = read.fields.map { "`\($0)`" }.joined(separator: ", ")
      return "| `\(read.name)` | \(parameters.isEmpty ? "–" : parameters) | \(fields) |\n"
    }.joined()
  }
}
