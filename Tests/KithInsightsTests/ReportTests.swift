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
    #expect(page.counts["main"] == 1 && page.counts["nav"] == 2 && page.counts["h1"] == 1)
    #expect(page.counts["h2"] == report.sections.count + 2)
    #expect(page.attributes["lang"] == ["en"])
    #expect(page.attributes["scope"]?.count == page.counts["th"])
    let ids = page.attributes["id", default: []]
    #expect(Set(ids).count == ids.count)
    let links = page.attributes["href", default: []].filter { $0.hasPrefix("#") }
    #expect(
      links.count == 2 * (report.sections.count + 1) + 1
        && links.allSatisfy { ids.contains(String($0.dropFirst())) })
  }

  /// Names are strangers' text; the pages of accounts are not.
  @Test func rowsLeadToPagesAndNothingElse() throws {
    var report = InsightReport(title: "T", headline: "1 <b>follower</b>.", generatedAt: .epoch)
    let links = [
      "https://bsky.app/profile/did:plc:a", "javascript:alert(1)", "https://x.test/\"onclick=1", nil,
    ]
    report.sections = [
      InsightReport.Section(
        id: "people", heading: "People",
        table: ChartTable(
          headings: ["Account"], rows: links.map { ["<i>](\($0 ?? "-"))"] }, links: links))
    ]
    let page = try Markup(report.html(), voidElements: ["meta"])
    #expect(page.attributes["href", default: []].filter { !$0.hasPrefix("#") } == [links[0]])
    #expect(report.html().contains("1 &lt;b&gt;follower&lt;/b&gt;."))
    let lines = report.markdown().split(separator: "\n").filter { $0.hasPrefix("| [") }
    #expect(lines.count == 1 && lines[0].hasSuffix("](<https://bsky.app/profile/did:plc:a>) |"))
  }

  /// A picture has no variables, which rsvg-convert does not know.
  @Test func picturesHaveTheColoursOfTheirTheme() throws {
    let (light, dark) = (report.svg(.light), report.svg(.dark))
    #expect(!light.contains("var(") && !dark.contains("var(") && light != dark)
    #expect(report.svg().contains("prefers-color-scheme:dark"))
    #expect(light.contains("width=\"1200\" height=\"630\""))
    #expect(!InsightReport(title: "T", generatedAt: .epoch).isDrawable && report.isDrawable)
  }

  @Test func eachChartHasATable() throws {
    let page = try Markup(report.html(), voidElements: ["meta"])
    let charts = report.sections.count { $0.chart != nil }
    #expect(page.counts["figure"] == charts && page.counts["details"] == charts + 1)
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
    #expect(MarkdownText.escaped("at 18:00: 3") == "at 18:00: 3")
    #expect(MarkdownText.escaped("HTTPS://x mailto:y") == "HTTPS&#58;//x mailto&#58;y")
    #expect(MarkdownText.paragraph("1. x") == "1\\. x" && MarkdownText.paragraph("- x") == "\\- x")
  }

  /// What GitHub reads, after the character references and escapes, is not an address, a mention or an issue.
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
