// SPDX-License-Identifier: Apache-2.0

import KithCore
import Testing

@testable import KithInsights

/// The parts of reports on a page of an app.
@Suite struct ReportRendererTests {
  private let charts = SampleCharts()

  private var renderer: ReportRenderer {
    var renderer = ReportRenderer()
    renderer.locatesRows = true
    renderer.address = { InsightAccount.account(ofPage: $0).map { "/me/profile/\($0)" } }
    renderer.listing = { $0 == .followers ? "/me/followers" : nil }
    renderer.relation = "noopener"
    return renderer
  }

  private func panel(_ section: InsightReport.Section) -> HTML { renderer.panel(of: section, "s-x") }

  /// A script shows the row of the table that a place belongs to.
  @Test func eachRowOfATableHasItsPlaceInTheDrawing() throws {
    for chart in charts.all {
      let section = InsightReport.Section(id: "x", heading: "X", chart: chart)
      let text = panel(section).text
      let rows = chart.table(mostRows: ChartTable.mostHTMLRows).rows.count
      let drawings = text.matches(of: /viewBox="0 0 (\d+) (\d+)"/)
      let places = text.matches(of: /data-rows="([^"]*)"/)
      #expect(drawings.count == 2 && places.count == 2, "\(chart.title)")
      for (drawing, place) in zip(drawings, places) {
        let size = (Double(drawing.1) ?? 0, Double(drawing.2) ?? 0)
        let texts = place.1.split(separator: " ")
        #expect(texts.count == rows, "\(chart.title)")
        for text in texts where text != "-" {
          let numbers = text.split(separator: ",").compactMap { Double($0) }
          #expect((0...size.0).contains(numbers[0]) && (1...2).contains(numbers.count), "\(text)")
          #expect(numbers.count == 1 || (0...size.1).contains(numbers[1]), "\(text)")
        }
      }
    }
  }

  @Test func theCellsOfAGridHaveColumns() throws {
    let text = panel(InsightReport.Section(id: "x", heading: "X", chart: charts.cohorts)).text
    let columns = try #require(text.firstMatch(of: /data-columns="([^"]*)"/)).1.split(separator: " ")
      .compactMap { Int($0) }
    #expect(columns.count == 8 && columns == columns.sorted())
  }

  @Test func rowsBesideEachOtherAreMarked() {
    func isMarked(_ chart: Chart) -> Bool {
      panel(InsightReport.Section(id: "x", heading: "X", chart: chart)).text.contains("data-across")
    }
    #expect(isMarked(charts.growth) && isMarked(charts.flows))
    #expect(!isMarked(charts.kinds) && !isMarked(charts.hours))
  }

  @Test func aFileSaysNothingToScripts() {
    #expect(!charts.report().html().contains("data-rows"))
  }

  @Test func accountsLeadToPagesOfTheApp() throws {
    let did = "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa"
    let links = [
      "https://bsky.app/profile/\(did)", "https://bsky.app/profile/\(did)/post/x", "https://x.test/",
    ]
    let table = ChartTable(headings: ["Account"], rows: links.map { [$0] }, links: links)
    let text = panel(InsightReport.Section(id: "x", heading: "X", table: table)).text
    #expect(text.contains("<a href=\"/me/profile/\(did)\">"))
    for link in links.dropFirst() { #expect(text.contains("<a href=\"\(link)\" rel=\"noopener\">")) }
  }

  @Test func cardsLeadToWhatTheyCount() {
    var cards = charts.report().cards
    cards[0].subject = .followers
    cards[1].subject = .blocks
    let text = renderer.list(of: cards).text
    #expect(text.ranges(of: "<a ").count == 1)
    #expect(text.contains("<span class=\"value\"><a href=\"/me/followers\">14,921</a></span>"))
  }

  @Test func columnsWithoutAWordAreLeftOut() {
    let table = ChartTable(headings: ["A", "B", "C"], rows: [["1", "", "x"], ["2", "", ""]])
    #expect(table.withoutEmptyColumns.headings == ["A", "C"])
    #expect(table.withoutEmptyColumns.rows == [["1", "x"], ["2", ""]])
    let empty = ChartTable(headings: ["A"], rows: [])
    #expect(empty.withoutEmptyColumns == empty)
  }
}
