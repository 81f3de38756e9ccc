// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithInsights

/// Charts and reports with values and names made to break them.
@Suite struct HostileChartTests {
  static let names = [
    "", " ", "<script>alert(1)</script>", "\"' onload='x' & ]]>", "a\u{202E}b\u{0}c\u{7}\u{1B}[31m",
    String(repeating: "very long ", count: 500), "日本語 👩‍👩‍👧 e" + String(repeating: "\u{301}", count: 80),
    "\u{FFFE}\u{FFFF}",
    "line\nbreak\ttab\u{2028}", "| a | b |", "@alice #1 [x](y) `z`",
  ]
  static let values: [Double] = [
    .nan, .infinity, -.infinity, 0, -0.0, 1, -1, 1e308, -1e308, Double.leastNonzeroMagnitude,
    .greatestFiniteMagnitude, 1e15, 999.95,
  ]
  static let moments: [Instant] = [.min, .max, 0, -1, 4_102_444_800_000_000, 1_735_689_600_000_000]

  private func charts(seed: UInt64) -> [Chart] {
    var numbers = SeededNumbers(seed: seed)
    func name() -> String { Self.names.randomElement(using: &numbers) ?? "" }
    func value() -> Double { Self.values.randomElement(using: &numbers) ?? 0 }
    func moment() -> Instant { Self.moments.randomElement(using: &numbers) ?? 0 }
    func count() -> Int { Int.random(in: 0...5, using: &numbers) }
    func many<T>(_ make: () -> T) -> [T] { (0..<count()).map { _ in make() } }
    let series = many {
      Timeline.Series(
        name(), points: many { .init(at: moment(), value()) }, style: count() > 2 ? .solid : .dashed,
        maxGap: count() > 2 ? nil : moment() - .epoch)
    }
    let timeline = Timeline(
      series: series, bands: many { .init(name(), points: many { .init(at: moment(), value(), value()) }) },
      marks: many { .init(at: moment(), name()) }, levels: many { .init(value(), name()) },
      clock: ZonedCalendar(name: name(), secondsEast: 50_400))
    let counts = [Int.min, -1, 0, 1, Int.max]
    let items = many { () -> FlowBars.Item in
      var item = FlowBars.Item(
        name(), gained: counts.randomElement(using: &numbers) ?? 0,
        lost: counts.randomElement(using: &numbers) ?? 0,
        coverage: AudienceFlow.Coverage.allCases.randomElement(using: &numbers) ?? .whole)
      if count() > 3 { item.lost = .min }
      return item
    }
    let bars = many { () -> CategoryBars.Item in
      let (one, other) = (value(), value())
      return .init(
        name(), count() > 3 ? nil : value(), interval: one <= other ? one...other : nil, sampleSize: .min,
        emphasis: count() > 2 ? .better : .none)
    }
    let grid = Grid(
      rowLabels: many(name), columnLabels: many(name), cells: many { many { count() > 3 ? nil : value() } },
      sampleSizes: many { many { Int.max } }, rowsName: name(), columnsName: name())
    let contents: [Chart.Content] = [
      .timeline(timeline), .flows(FlowBars(items: items, gainedName: name(), lostName: name())),
      .categories(CategoryBars(items: bars, missingText: name())), .grid(grid),
    ]
    return contents.map {
      Chart(
        name(), subtitle: name(), notes: many(name), valueKind: ValueKind.allCases[count() % 4], content: $0)
    }
  }

  @Test(arguments: CaseSample.of(0..<16, one: 4)) func nothingBreaksAnImage(seed: UInt64) throws {
    for chart in charts(seed: seed) {
      for (width, height) in [(720, 400), (0, Int.min), (220, 130), (Int.max, 500)] {
        let svg = chart.svg(width: width, height: height)
        let markup = try Markup(svg)
        #expect(markup.attributes["role"] == ["img"])
        #expect(markup.counts["script"] == nil && !svg.contains("nan") && !svg.contains("inf\""))
      }
    }
  }

  @Test(arguments: CaseSample.of(0..<16, one: 4)) func nothingBreaksATerminal(seed: UInt64) {
    for chart in charts(seed: seed) {
      for columns in [30, 31, 47, 80, 200] {
        for line in chart.text(TextStyle(columns: columns)) {
          #expect(ChartLabel.width(line) <= columns && line.last != " ")
        }
        for line in chart.text(TextStyle(columns: columns, unicode: false)) {
          #expect(line.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } && line.utf8.count <= columns)
        }
      }
    }
  }

  @Test(arguments: CaseSample.of(0..<10, one: 4)) func nothingBreaksAReport(seed: UInt64) throws {
    var report = SampleCharts().report()
    report.title = Self.names[Int(seed) % Self.names.count]
    report.generatedAt = Self.moments[Int(seed) % Self.moments.count]
    report.cards = Self.names.map { .init($0, $0, change: $0, sense: .worse, detail: $0) }
    report.notes = Self.names
    report.sections = charts(seed: seed).enumerated().map { index, chart in
      let name = Self.names[(index + Int(seed)) % Self.names.count]
      return .init(id: name, heading: name, paragraphs: Self.names, chart: chart, notes: Self.names)
    }
    let page = try Markup(report.html(), voidElements: ["meta"])
    #expect(page.counts["script"] == nil && page.attributes["onload"] == nil)
    #expect(Set(page.attributes["id", default: []]).count == page.attributes["id", default: []].count)
    _ = try Markup(report.svg())
    #expect(!report.markdown().contains("<script") && !report.markdown().contains("@alice"))
  }

  @Test(arguments: [
    "<a>", "</a>", "<a></b>", "<a b></a>", "<a b=\"<\"></a>", "<a b=\"1\" b=\"2\"></a>", "a & b", "&nbsp;",
    "a > b",
    "<a", "\u{0}", "\u{202E}", "\u{FFFF}",
  ])
  func theMarkupCheckFindsErrors(text: String) {
    #expect(throws: Markup.Fault.self) { try Markup(text) }
  }
}
