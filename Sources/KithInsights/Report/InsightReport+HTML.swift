// SPDX-License-Identifier: Apache-2.0

extension InsightReport {
  /// The report as a single HTML file, without requests and scripts.
  ///
  /// Tables are limited to 400 rows, so a report about a million accounts stays below 2 MB.
  public func html() -> String {
    let anchors = anchors
    var page = HTMLText()
    page.raw("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">")
    page.raw(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    )
    page.raw("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">")
    page.raw(
      "<meta name=\"color-scheme\" content=\"light dark\"><meta name=\"referrer\" content=\"no-referrer\">")
    page.element("title", title)
    page.raw("<style>\(ReportStyle.css)</style></head>\n<body>")
    page.raw("<a class=\"skip\" href=\"#main\">Skip to the report</a>\n<header class=\"top\">")
    page.element("h1", title)
    if let headline { page.element("p", headline, classes: "headline") }
    if let subtitle { page.element("p", subtitle, classes: "sub") }
    page.element("p", origin, classes: "origin")
    page.raw("</header>\n<div class=\"page\">")
    contents(anchors, &page)
    page.raw("<main id=\"main\" tabindex=\"-1\">")
    figures(&page)
    for (section, anchor) in zip(sections, anchors) { self.section(section, anchor, &page) }
    page.raw("</main></div>\n<footer>")
    page.list(notes, classes: "notes")
    page.raw("</footer></body></html>\n")
    return page.text
  }

  private func contents(_ anchors: [String], _ page: inout HTMLText) {
    var links = cards.isEmpty ? "" : "<li><a href=\"#figures\">Key figures</a></li>"
    for (section, anchor) in zip(sections, anchors) {
      links += "<li><a href=\"#\(anchor)\">\(ChartLabel.escaped(section.heading))</a></li>"
    }
    // On a phone, the list would fill the first screen; a page without scripts can fold only one of the two.
    page.raw(
      "<nav class=\"beside\" tabindex=\"0\" aria-labelledby=\"contents\"><h2 id=\"contents\">Contents</h2><ul>\(links)</ul></nav>\n"
        + "<nav class=\"above\" aria-label=\"Contents\"><details><summary>Contents</summary><ul>\(links)</ul></details></nav>\n"
    )
  }

  private func figures(_ page: inout HTMLText) {
    guard !cards.isEmpty else { return }
    page.raw(
      "<section aria-labelledby=\"figures\"><h2 id=\"figures\" class=\"vh\">Key figures</h2><ul class=\"cards\">"
    )
    for card in cards {
      page.raw("<li class=\"card\">")
      page.element("span", card.label, classes: "label")
      page.element("span", card.value, classes: "value")
      if let change = card.change {
        page.raw("<span class=\"change \(card.sense.rawValue)\">")
        if card.sense != .neutral {
          page.raw("<span aria-hidden=\"true\">\(card.sign) </span>")
          page.element("span", "\(card.sense.rawValue): ", classes: "vh")
        }
        page.raw("\(ChartLabel.escaped(change))</span>")
      }
      if let detail = card.detail { page.element("span", detail, classes: "detail") }
      page.raw("</li>")
    }
    page.raw("</ul></section>\n")
  }

  private func section(_ section: Section, _ anchor: String, _ page: inout HTMLText) {
    page.raw("<section class=\"panel\" id=\"\(anchor)\" aria-labelledby=\"\(anchor)-h\">")
    if section.isFolded { page.raw("<details class=\"fold\"><summary>") }
    page.element("h2", section.heading, attributes: " id=\"\(anchor)-h\"")
    if section.isFolded { page.raw("</summary>") }
    for paragraph in section.paragraphs { page.element("p", paragraph) }
    if let chart = section.chart {
      figure(chart, of: section, anchor, &page)
      page.details(
        chart.table(mostRows: HTMLText.mostRows), "Table", name: "Table: \(chart.title)")
    }
    if let table = section.table {
      // Tables that accompany a chart, or would fill the page, are collapsed.
      if section.chart == nil, table.rows.count <= HTMLText.mostOpenRows {
        page.table(table, name: section.heading, isOpen: true)
      } else {
        page.details(
          table, section.chart == nil ? "Table" : "More numbers", name: "\(section.heading), more numbers")
      }
    }
    page.list(section.notes, classes: "notes")
    page.raw(section.isFolded ? "</details></section>\n" : "</section>\n")
  }

  private func figure(_ chart: Chart, of section: Section, _ anchor: String, _ page: inout HTMLText) {
    page.raw("<figure><figcaption>")
    if chart.title != section.heading { page.element("span", chart.title, classes: "name") }
    if let subtitle = chart.subtitle { page.element("span", subtitle, classes: "sub") }
    page.raw("</figcaption>")
    // Text in an image shrinks with it, so phones get an image of their own.
    for (width, classes) in [(800.0, "wide"), (330.0, "narrow")] {
      page.raw(
        chart.inlineSVG(
          width: width, height: chart.goodHeight(forWidth: width), id: "\(anchor)-\(classes)",
          classes: classes))
    }
    page.list(chart.notes, classes: "notes")
    page.raw("</figure>\n")
  }
}

/// Builds the text of a page. Untrusted text is escaped when it is added.
struct HTMLText {
  static let mostRows = 400
  static let mostOpenRows = 20
  /// Columns that can be aligned, by rules of ``ReportStyle``.
  static let mostAlignedColumns = 12

  private(set) var text = ""

  /// Adds text that is already HTML.
  mutating func raw(_ html: String) { text += html }

  mutating func element(
    _ name: String, _ content: String, classes: String = "", attributes: String = ""
  ) {
    let role = classes.isEmpty ? "" : " class=\"\(classes)\""
    text +=
      "<\(name)\(role)\(attributes)>\(ChartLabel.escaped(content, most: InsightReport.mostCharacters))</\(name)>"
  }

  mutating func list(_ items: [String], classes: String) {
    guard !items.isEmpty else { return }
    text += "<ul class=\"\(classes)\">"
    for item in items { element("li", item) }
    text += "</ul>"
  }

  mutating func details(_ table: ChartTable, _ summary: String, name: String) {
    text += "<details><summary>"
    text += "\(ChartLabel.escaped(summary))<span class=\"vh\">: \(ChartLabel.escaped(name))</span></summary>"
    self.table(table, name: name)
    text += "</details>"
  }

  /// A table that scrolls on its own if it is wider than the page.
  ///
  /// - Parameter isOpen: whether all rows are shown at once.
  mutating func table(_ table: ChartTable, name: String, isOpen: Bool = false) {
    let table = table.prefix(Self.mostRows)
    let escapedName = ChartLabel.escaped(name)
    text +=
      "<div class=\"scroll\(isOpen ? " whole" : "")\" role=\"region\" tabindex=\"0\" aria-label=\"\(escapedName)\">"
    text +=
      "<table class=\"\(Self.alignment(table))\"><caption class=\"vh\">\(escapedName)</caption><thead><tr>"
    for heading in table.headings {
      // A narrow column would make the head of all columns high.
      element("th", heading, classes: heading.count > 12 ? "long" : "", attributes: " scope=\"col\"")
    }
    text += "</tr></thead><tbody>"
    for (number, row) in table.rows.enumerated() {
      text += "<tr>"
      for (column, cell) in row.enumerated() {
        guard column == 0 else {
          element("td", cell)
          continue
        }
        text += "<th scope=\"row\">"
        if let link = table.link(ofRow: number) {
          element("a", cell, attributes: " href=\"\(ChartLabel.escaped(link))\" rel=\"noreferrer\"")
        } else {
          text += ChartLabel.escaped(cell, most: InsightReport.mostCharacters)
        }
        text += "</th>"
      }
      text += "</tr>\n"
    }
    text += "</tbody></table></div>"
    let remarks = table.notes + [table.omission].compactMap { $0 }
    list(remarks, classes: "notes")
  }

  /// Number columns are right-aligned.
  private static func alignment(_ table: ChartTable) -> String {
    let columns = table.headings.indices.dropFirst().prefix(mostAlignedColumns).filter { column in
      table.rows.prefix(20).contains { $0.indices.contains(column) && isNumber($0[column]) }
    }
    return (["data"] + columns.map { "n\($0 + 1)" }).joined(separator: " ")
  }

  private static func isNumber(_ cell: String) -> Bool {
    let scalars = cell.prefix { $0 != "(" && $0 != " " }.unicodeScalars
    return scalars.contains { ("0"..."9").contains($0) }
      && scalars.allSatisfy { ("0"..."9").contains($0) || "+−-.,%".unicodeScalars.contains($0) }
      && !cell.contains(" 20") && !cell.contains(":")
  }
}
