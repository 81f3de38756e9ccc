// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithInsights

/// Charts draw the exact figures, and report what they leave out.
@Suite struct ChartTests {
  private let samples = SampleCharts()
  private let day = SampleCharts.day

  /// The coordinates of all lines of an image, in segments.
  private func lines(_ svg: String) -> [[(x: Double, y: Double)]] {
    svg.split(separator: "<path class=\"ln s").dropFirst().flatMap { path -> [[(x: Double, y: Double)]] in
      let data = path.drop { $0 != "M" }.prefix { $0 != "\"" }
      return data.split(separator: "M").map { piece in
        piece.split { $0 == "L" || $0 == "h" }.compactMap { pair in
          let numbers = pair.split(separator: " ").compactMap { Double($0) }
          return numbers.count == 2 ? (x: numbers[0], y: numbers[1]) : nil
        }
      }
    }
  }

  @Test(arguments: [1, 3, 30]) func eachPointIsDrawnOnce(count: Int) throws {
    let values = (0..<count).map { Double($0 * 7) }
    let svg = SampleCharts.chart(values).svg()
    let line = try #require(lines(svg).first)
    #expect(lines(svg).count == 1 && line.count == count)
    #expect(zip(line, line.dropFirst()).allSatisfy { $0.x < $1.x && $0.y > $1.y })
    #expect(svg.split(separator: "class=\"dot").count - 1 == count + 1)
  }

  @Test func anEmptyChartSaysNoData() throws {
    for content: Chart.Content in [
      .timeline(Timeline(series: [])), .timeline(SampleCharts.timeline([.nan, .infinity])),
      .flows(FlowBars(items: [])), .categories(CategoryBars(items: [])),
      .grid(Grid(rowLabels: [], columnLabels: [], cells: [])),
    ] {
      let chart = Chart("Nothing", content: content)
      #expect(chart.isEmpty && chart.text().contains("No data"))
      #expect(try Markup(chart.svg()).counts["path"] == nil)
    }
  }

  @Test func orderOfInputDoesNotMatter() {
    guard case .timeline(var timeline) = samples.growth.content else { return }
    timeline.series[0].points.reverse()
    timeline.bands[0].points.shuffle()
    var shuffled = samples.growth
    shuffled.content = .timeline(timeline)
    #expect(shuffled.svg() == samples.growth.svg() && shuffled.table == samples.growth.table)
    #expect(shuffled.text() == samples.growth.text())
  }

  @Test func aGapIsNotConnected() {
    let values = [10.0, 12, 14, .nan, 20, 22]
    #expect(lines(SampleCharts.chart(values).svg()).map(\.count) == [3, 2])

    var timeline = SampleCharts.timeline((0..<6).map(Double.init), maxGap: .microseconds(day))
    timeline.series[0].points.remove(at: 3)
    let gap = Chart("Gap", content: .timeline(timeline))
    #expect(lines(gap.svg()).map(\.count) == [3, 2])
    timeline.series[0].maxGap = nil
    let joined = Chart("Gap", content: .timeline(timeline))
    #expect(lines(joined.svg()).map(\.count) == [5])
    #expect(gap.text() != joined.text())
  }

  @Test func aBrokenAxisIsMarked() throws {
    let narrow = SampleCharts.chart([12_000, 12_010, 12_050])
    let axis = ValueScale(12_000...12_050, kind: .count, most: 6, mayBreak: true)
    let note = try #require(axis.breakNote)
    #expect(axis.isBroken && axis.low > 0 && axis.low <= 12_000)
    #expect(narrow.svg().contains("class=\"brk\"") && narrow.svg().contains(note))
    #expect(narrow.text().contains { $0.contains("≈ axis") })
    for values in [[1_000, 12_000], [0, 0], [12_000, 12_000], [-5, 5]] {
      let chart = SampleCharts.chart(values.map(Double.init))
      #expect(!chart.svg().contains("class=\"brk\""))
    }
    #expect(!ValueScale(12_000...12_050, kind: .count, most: 6, mayBreak: false).isBroken)
  }

  @Test func barsAndCellsEqualTheFigures() throws {
    let flows = try Markup(samples.flows.svg())
    // A gain per month, a loss for those that are observed, the background, and five legend entries, one of which is
    // a line and one without a sample.
    #expect(flows.counts["rect"] == 12 + 9 + 1 + 3)
    let cells = try Markup(samples.hours.svg()).attributes["class", default: []]
    #expect(cells.filter { $0 == "no" }.count == 7 * 6 + 1)
    #expect(cells.filter { $0.hasPrefix("q") }.count == 7 * 18 + ChartPalette.shadeCount)
    let kinds = samples.kinds.svg()
    #expect(kinds.contains("too few") && kinds.contains("▲") && kinds.contains("n = 121"))
    #expect(kinds.split(separator: "class=\"wh\"").count - 1 == 3 * 3)
  }

  @Test func aBarIsAsLongAsItsValue() throws {
    let items = [1.0, 2, 4].map { (value: Double) in CategoryBars.Item("\(value)", value) }
    let svg = Chart("Bars", content: .categories(CategoryBars(items: items))).svg()
    let widths = svg.split(separator: "class=\"plain\"").dropFirst().compactMap { bar in
      bar.split(separator: "width=\"").dropFirst().first.flatMap { Double($0.prefix { $0 != "\"" }) }
    }
    #expect(
      widths.count == 3 && abs(widths[1] / widths[0] - 2) < 0.01 && abs(widths[2] / widths[0] - 4) < 0.01)
  }

  @Test func theTableHasAllFigures() throws {
    #expect(samples.flows.table.rows.count == 12)
    #expect(samples.kinds.table.rows.map { $0[1] } == ["1.2%", "2.1%", "0.6%", "too few"])
    #expect(samples.hours.table.rows.count == 7 && samples.hours.table.headings.count == 25)
    let table = SampleCharts.chart([3, 1_234, .nan]).table
    #expect(table.headings.first == "Time (UTC)")
    #expect(table.rows == [["2025-01-01", "3"], ["2025-01-02", "1,234"], ["2025-01-03", "–"]])
    let growth = samples.growth.table(mostRows: 10)
    #expect(growth.rows.count == 10 && growth.omittedBefore == samples.growth.table.rows.count - 10)
    for chart in samples.all {
      let table = chart.table
      #expect(!table.rows.isEmpty && table.rows.allSatisfy { $0.count == table.headings.count })
    }
  }

  @Test func millionsOfPointsKeepTheirExtremesInASmallImage() throws {
    let count = 300_000
    var points = (0..<count).map {
      Timeline.Point(at: Instant(secondsSinceEpoch: Int64($0) * 60), Double($0 % 1_000))
    }
    points[123_456].value = 50_000
    let timeline = Timeline(series: [.init("Followers", points: points, maxGap: .seconds(60))])
    let svg = Chart("Many", content: .timeline(timeline)).svg()
    #expect(svg.utf8.count < 60_000)
    let drawn = lines(svg).joined()
    let top = try #require(drawn.map(\.y).min())
    #expect(drawn.filter { $0.y == top }.count == 1)
    let bars = (0..<50_000).map { (number: Int) in FlowBars.Item("\(number)", gained: number, lost: 3) }
    #expect(Chart("Bars", content: .flows(FlowBars(items: bars))).svg().utf8.count < 80_000)
    let labels = (0..<300).map { "\($0)" }
    let grid = Grid(
      rowLabels: labels, columnLabels: labels, cells: labels.map { _ in labels.map { Double($0) } })
    #expect(Chart("Grid", content: .grid(grid)).svg().utf8.count < 120_000)
  }
}
