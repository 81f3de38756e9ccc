// SPDX-License-Identifier: Apache-2.0

extension InsightReport {
  /// The report as a single HTML file, without requests and scripts.
  ///
  /// Tables are limited to 400 rows, so a report about a million accounts stays below 2 MB.
  public func html() -> String {
    let anchors = anchors
    let panels = zip(sections, anchors).map { renderer.panel(of: $0, $1) }
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
      <footer>\(ReportRenderer.list(of: notes))</footer></body></html>

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
      \(renderer.list(of: cards))</section>

      """
  }

  private var renderer: ReportRenderer { ReportRenderer() }
}
