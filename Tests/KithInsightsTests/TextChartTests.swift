// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithInsights

/// Charts in a terminal.
@Suite struct TextChartTests {
  private let samples = SampleCharts()

  @Test(arguments: [30, 40, 80, 120, 200]) func noLineIsWiderThanTheTerminal(columns: Int) {
    for chart in samples.all {
      for unicode in [true, false] {
        let lines = chart.text(TextStyle(columns: columns, unicode: unicode))
        #expect(lines.count > 3 && lines.allSatisfy { ChartLabel.width($0) <= columns && $0.last != " " })
        #expect(unicode || lines.allSatisfy { $0.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } })
        #expect(lines.allSatisfy { !$0.contains("\u{1B}") })
      }
    }
  }

  @Test func coloursChangeNothingElse() {
    for chart in samples.all {
      let coloured = chart.text(TextStyle(columns: 80, colour: true))
      #expect(coloured.contains { $0.contains("\u{1B}[") })
      #expect(coloured.map(withoutColour) == chart.text(TextStyle(columns: 80)))
    }
  }

  private func withoutColour(_ line: String) -> String {
    let parts = line.split(separator: "\u{1B}", omittingEmptySubsequences: false)
    return parts.dropFirst().reduce(String(parts.first ?? "")) { text, part in
      text + part.drop { $0 != "m" }.dropFirst()
    }
  }

  @Test func aLineRisesFromLeftToRight() {
    let lines = SampleCharts.chart([0, 100]).text(TextStyle(columns: 40, unicode: false))
    let places = lines.compactMap { line -> Int? in
      line.contains("*")
        ? line.utf8.firstIndex(of: 0x2A).map { line.utf8.distance(from: line.utf8.startIndex, to: $0) } : nil
    }
    #expect(places.count == 8 && zip(places, places.dropFirst()).allSatisfy(>))
  }

  @Test func eachPeriodAndCategoryHasALine() {
    let flows = samples.flows.text()
    #expect(
      samples.flows.table.rows.allSatisfy { row in
        flows.contains { $0.hasPrefix(row[0]) && (row[3] == ValueKind.missing || $0.hasSuffix(row[3])) }
      })
    let kinds = samples.kinds.text()
    #expect(
      samples.kinds.table.rows.allSatisfy { row in
        kinds.contains { $0.contains(row[0]) && $0.contains(row[1]) }
      })
  }
}
