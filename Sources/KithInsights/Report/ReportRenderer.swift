// SPDX-License-Identifier: Apache-2.0

/// Renders the parts of a report as HTML: for a file of its own, which is the default, or for a page of an app.
package struct ReportRenderer: Sendable {
  /// What opens the table of a chart.
  package var tableTitle = "Table"
  /// What comes before the heading of a section in the name of its table: regions of some pages need different names.
  package var tablePrefix = ""
  /// The width in pixels for which a chart is drawn on wide screens, by the id of its section.
  package var width: @Sendable (_ section: String) -> Double = { _ in 800 }
  /// Whether drawings say where the rows of their tables are, for a script that shows the values.
  package var locatesRows = false
  /// What the app shows in the place of a page of the web; nil for a page that it does not have.
  package var address: @Sendable (_ page: String) -> String? = { _ in nil }
  /// Where the value of a card leads; nil for nowhere.
  package var listing: @Sendable (InsightReport.Card.Subject) -> String? = { _ in nil }
  /// How this page relates to other sites that it links.
  package var relation = "noreferrer"

  /// Longer tables are collapsed.
  private static let mostOpenRows = 20

  /// A renderer for a report in a file of its own.
  package init() {}

  // MARK: Cards

  /// The key figures.
  package func list(of cards: [InsightReport.Card]) -> HTML {
    "<ul class=\"cards\">\(cards.map(card))</ul>"
  }

  private func card(_ card: InsightReport.Card) -> HTML {
    let most = InsightReport.mostCharacters
    let detail: HTML? = card.detail.map { "<span class=\"detail\">\($0, most: most)</span>" }
    var value: HTML = "\(card.value, most: most)"
    if let address = card.subject.flatMap(listing) { value = "<a href=\"\(address)\">\(value)</a>" }
    return """
      <li class="card"><span class="label">\(card.label, most: most)</span>\
      <span class="value">\(value)</span>\(card.change.map { change($0, card) })\(detail)</li>
      """
  }

  private func change(_ change: String, _ card: InsightReport.Card) -> HTML {
    let sense: HTML =
      card.sense == .neutral
      ? ""
      : "<span aria-hidden=\"true\">\(card.sign) </span><span class=\"vh\">\(card.sense.rawValue): </span>"
    return """
      <span class="change \(card.sense.rawValue)">\(sense)\(change, most: ChartLabel.mostCharacters)</span>
      """
  }

  // MARK: Sections

  /// A section with its chart and its table.
  ///
  /// - Parameter anchor: its id, which no other section of the page has; see ``InsightReport/anchors``.
  package func panel(of section: InsightReport.Section, _ anchor: String) -> HTML {
    let most = InsightReport.mostCharacters
    var heading: HTML = "<h2 id=\"\(anchor)-h\">\(section.heading, most: most)</h2>"
    var end: HTML = ""
    if section.isFolded {
      heading = "<details class=\"fold\"><summary>\(heading)</summary>"
      end = "</details>"
    }
    let paragraphs: [HTML] = section.paragraphs.map { "<p>\($0, most: most)</p>" }
    return """
      <section class="panel" id="\(anchor)" aria-labelledby="\(anchor)-h">\(heading)\(paragraphs)\
      \(section.chart.map { figure($0, of: section, anchor) })\(section.table.map { table($0, of: section) })\
      \(Self.list(of: section.notes))\(end)</section>

      """
  }

  /// A chart, and its numbers as a table.
  private func figure(_ chart: Chart, of section: InsightReport.Section, _ anchor: String) -> HTML {
    let most = InsightReport.mostCharacters
    var caption: HTML = ""
    if chart.title != section.heading {
      caption += "<span class=\"name\">\(chart.title, most: most)</span>"
    }
    if let subtitle = chart.subtitle {
      caption += "<span class=\"sub\">\(subtitle, most: most)</span>"
    }
    // Text in an image shrinks with it, so phones get an image of their own.
    let images = [(width(section.id), "wide"), (330.0, "narrow")].map { width, classes in
      HTML(
        markup: chart.inlineSVG(
          width: width, height: chart.goodHeight(forWidth: width), id: "\(anchor)-\(classes)",
          classes: classes, locatesRows: locatesRows))
    }
    let table = chart.table(mostRows: ChartTable.mostHTMLRows)
    return """
      <figure><figcaption>\(caption)</figcaption>\(images)\(Self.list(of: chart.notes))</figure>
      \(table.foldedHTML(tableTitle, name: "Table: \(chart.title)", by: self))
      """
  }

  /// Tables that accompany a chart, or would fill the page, are collapsed.
  private func table(_ table: ChartTable, of section: InsightReport.Section) -> HTML {
    if section.chart == nil, table.rows.count <= Self.mostOpenRows {
      return table.html(name: tablePrefix + section.heading, isWhole: true, by: self)
    }
    return table.foldedHTML(
      section.chart == nil ? tableTitle : "More numbers", name: "\(section.heading), more numbers", by: self)
  }

  // MARK: Parts

  /// A link to a page of the web, or to what the app shows in its place.
  func link(to page: String, _ name: HTML) -> HTML {
    if let address = address(page) { return "<a href=\"\(address)\">\(name)</a>" }
    return "<a href=\"\(page, most: ChartLabel.mostCharacters)\" rel=\"\(relation)\">\(name)</a>"
  }

  /// Notes as a list; nothing if there are none.
  package static func list(of notes: [String]) -> HTML {
    let items: [HTML] = notes.map { "<li>\($0, most: InsightReport.mostCharacters)</li>" }
    return items.isEmpty ? "" : "<ul class=\"notes\">\(items)</ul>"
  }
}
