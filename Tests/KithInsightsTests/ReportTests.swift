// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

@testable import KithInsights

/// Reports as pages, Markdown and images.
@Suite struct ReportTests {
  private let report = SampleCharts().report()

  @Test func thePageMakesNoRequestsAndRunsNoScripts() throws {
    let page = report.html()
    for forbidden in ["http:", "https:", "//", "url(", "src=", "@import", "<script", "<link", "javascript:"] {
      #expect(!page.contains(forbidden), "\(forbidden)")
    }
    #expect(page.contains("content=\"default-src 'none'; style-src 'unsafe-inline'\""))
  }

  @Test func thePageHasItsLandmarks() throws {
    let page = try Markup(report.html(), voidElements: ["meta"])
    #expect(page.counts["main"] == 1 && page.counts["nav"] == 1 && page.counts["h1"] == 1)
    #expect(page.counts["h2"] == report.sections.count + 2)
    #expect(page.attributes["lang"] == ["en"])
    #expect(page.attributes["scope"]?.count == page.counts["th"])
    let ids = page.attributes["id", default: []]
    #expect(Set(ids).count == ids.count)
    let links = page.attributes["href", default: []].filter { $0.hasPrefix("#") }
    #expect(
      links.count == report.sections.count + 2 && links.allSatisfy { ids.contains(String($0.dropFirst())) })
  }

  @Test func eachChartHasATable() throws {
    let page = try Markup(report.html(), voidElements: ["meta"])
    let charts = report.sections.count { $0.chart != nil }
    #expect(page.counts["figure"] == charts && page.counts["details"] == charts)
    #expect(page.counts["table"] == charts + 1)
  }

  @Test func aLargeReportStaysSmall() {
    let values = (0..<20_000).map { Double($0) }
    let rows = (0..<20_000).map { ["account-\($0).example", "\($0)"] }
    var large = report
    large.sections = (0..<8).map { index in
      .init(
        id: "s", heading: "Part \(index)", chart: SampleCharts.chart(values),
        table: ChartTable(headings: ["Account", "Count"], rows: rows))
    }
    let page = large.html()
    #expect(page.utf8.count < 2_000_000 && page.contains("19,600 more rows"))
    #expect(large.markdown().utf8.count < 200_000)
  }

  @Test func markdownHasEachTableAndEscapesCells() {
    let text = report.markdown()
    let rules = text.split(separator: "\n").count { $0.hasPrefix("| :-- |") || $0.hasPrefix("| :--") }
    #expect(rules == report.sections.count + 1)
    #expect(MarkdownText.escaped("a|b*c@d") == "a\\|b\\*c&#64;\u{200B}d")
    #expect(MarkdownText.paragraph("1. x") == "1\\. x" && MarkdownText.paragraph("- x") == "\\- x")
  }

  /// What GitHub reads, after the character references and escapes, is no address, mention or issue.
  @Test(arguments: [
    ("user@evil.example", "user@\u{200B}evil.example"), ("@alice", "@\u{200B}alice"), ("#1", "#\u{200B}1"),
    ("owner/repo#12", "owner/repo#\u{200B}12"), ("GH-7 gh-8", "GH-\u{200B}7 gh-\u{200B}8"),
    ("#tag #", "#tag #"),
    ("mailto:a@evil.example", "mailto:a@\u{200B}evil.example"), ("2024-05-01", "2024-05-01"),
  ])
  func markdownHasNoAddressesMentionsAndReferences(text: String, read: String) {
    let decoded = MarkdownText.escaped(text).replacing("&#64;", with: "@").replacing("&#58;", with: ":")
      .replacing("\\", with: "")
    #expect(decoded.unicodeScalars.elementsEqual(read.unicodeScalars), "\(decoded)")
  }

  @Test func theImageHasTitleCardsAndTheFirstChart() throws {
    let picture = report.svg()
    _ = try Markup(picture)
    #expect(report.cards.allSatisfy { picture.contains(">\($0.value)<") })
    #expect(picture.contains("Followers since the beginning") && picture.contains("class=\"ln s0\""))
  }
}
