// SPDX-License-Identifier: Apache-2.0

extension InsightReport {
  /// Longer tables are collapsed.
  private static let mostOpenRows = 20

  /// The report as a single HTML file, without requests and scripts.
  ///
  /// Tables are limited to 400 rows, so a report about a million accounts stays below 2 MB.
  public func html() -> String {
    let anchors = anchors
    let panels = zip(sections, anchors).map { panel(of: $0, $1) }
    let page: HTML = """
      <!doctype html>
      <html lang="en"><head><meta charset="utf-8">\
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">\
      <meta name="viewport" content="width=device-width,initial-scale=1">\
      <meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">\
      <title>\(title, most: Self.mostCharacters)</title>\
      <style>\(HTML(markup: ReportStyle.css))</style></head>
      <body><a class="skip" href="#main">Skip to the report</a>
      \(top)
      <div class="page">\(contents(anchors))<main id="main" tabindex="-1">\(figures)\(panels)</main></div>
      <footer>\(Self.list(of: notes))</footer></body></html>

      """
    return page.text
  }

  private var top: HTML {
    let headline: HTML? = headline.map { "<p class=\"headline\">\($0, most: Self.mostCharacters)</p>" }
    let subtitle: HTML? = subtitle.map { "<p class=\"sub\">\($0, most: Self.mostCharacters)</p>" }
    return """
      <header class="top"><h1>\(title, most: Self.mostCharacters)</h1>\(headline)\(subtitle)\
      <p class="origin">\(origin, most: Self.mostCharacters)</p></header>
      """
  }

  private func contents(_ anchors: [String]) -> HTML {
    var links: HTML = cards.isEmpty ? "" : "<li><a href=\"#figures\">Key figures</a></li>"
    for (section, anchor) in zip(sections, anchors) {
      links += "<li><a href=\"#\(anchor)\">\(section.heading, most: ChartLabel.mostCharacters)</a></li>"
    }
    // On a phone, the list would fill the first screen; a page without scripts can fold only one of the two.
    return """
      <nav class="beside" tabindex="0" aria-labelledby="contents"><h2 id="contents">Contents</h2>\
      <ul>\(links)</ul></nav>
      <nav class="above" aria-label="Contents"><details><summary>Contents</summary>\
      <ul>\(links)</ul></details></nav>

      """
  }

  private var figures: HTML {
    guard !cards.isEmpty else { return "" }
    return """
      <section aria-labelledby="figures"><h2 id="figures" class="vh">Key figures</h2>\
      <ul class="cards">\(cards.map(\.html))</ul></section>

      """
  }

  private func panel(of section: Section, _ anchor: String) -> HTML {
    var heading: HTML = "<h2 id=\"\(anchor)-h\">\(section.heading, most: Self.mostCharacters)</h2>"
    var end: HTML = ""
    if section.isFolded {
      heading = "<details class=\"fold\"><summary>\(heading)</summary>"
      end = "</details>"
    }
    let paragraphs: [HTML] = section.paragraphs.map { "<p>\($0, most: Self.mostCharacters)</p>" }
    return """
      <section class="panel" id="\(anchor)" aria-labelledby="\(anchor)-h">\(heading)\(paragraphs)\
      \(section.chart.map { figure($0, of: section, anchor) })\(section.table.map { table($0, of: section) })\
      \(Self.list(of: section.notes))\(end)</section>

      """
  }

  /// A chart, and its numbers as a table.
  private func figure(_ chart: Chart, of section: Section, _ anchor: String) -> HTML {
    var caption: HTML = ""
    if chart.title != section.heading {
      caption += "<span class=\"name\">\(chart.title, most: Self.mostCharacters)</span>"
    }
    if let subtitle = chart.subtitle {
      caption += "<span class=\"sub\">\(subtitle, most: Self.mostCharacters)</span>"
    }
    // Text in an image shrinks with it, so phones get an image of their own.
    let images = [(800.0, "wide"), (330.0, "narrow")].map { width, classes in
      HTML(
        markup: chart.inlineSVG(
          width: width, height: chart.goodHeight(forWidth: width), id: "\(anchor)-\(classes)",
          classes: classes))
    }
    let table = chart.table(mostRows: ChartTable.mostHTMLRows)
    return """
      <figure><figcaption>\(caption)</figcaption>\(images)\(Self.list(of: chart.notes))</figure>
      \(table.foldedHTML("Table", name: "Table: \(chart.title)"))
      """
  }

  /// Tables that accompany a chart, or would fill the page, are collapsed.
  private func table(_ table: ChartTable, of section: Section) -> HTML {
    if section.chart == nil, table.rows.count <= Self.mostOpenRows {
      return table.html(name: section.heading, isWhole: true)
    }
    return table.foldedHTML(
      section.chart == nil ? "Table" : "More numbers", name: "\(section.heading), more numbers")
  }

  /// Notes as a list; nothing if there are none.
  static func list(of notes: [String]) -> HTML {
    let items: [HTML] = notes.map { "<li>\($0, most: mostCharacters)</li>" }
    return items.isEmpty ? "" : "<ul class=\"notes\">\(items)</ul>"
  }
}

extension InsightReport.Card {
  fileprivate var html: HTML {
    let most = InsightReport.mostCharacters
    let detail: HTML? = detail.map { "<span class=\"detail\">\($0, most: most)</span>" }
    return """
      <li class="card"><span class="label">\(label, most: most)</span>\
      <span class="value">\(value, most: most)</span>\(change.map(changeHTML))\(detail)</li>
      """
  }

  private func changeHTML(_ change: String) -> HTML {
    let sense: HTML =
      self.sense == .neutral
      ? ""
      : "<span aria-hidden=\"true\">\(sign) </span><span class=\"vh\">\(self.sense.rawValue): </span>"
    return """
      <span class="change \(self.sense.rawValue)">\(sense)\(change, most: ChartLabel.mostCharacters)</span>
      """
  }
}
