// SPDX-License-Identifier: Apache-2.0

extension ChartTable {
  /// Longer tables are truncated on a page.
  static let mostHTMLRows = 400
  /// Columns that can be aligned, by ``ReportStyle/alignment``.
  static let mostAlignedColumns = 12

  /// The table, collapsed until the reader opens it.
  func foldedHTML(_ summary: String, name: String, by renderer: ReportRenderer) -> HTML {
    """
    <details><summary>\(summary)<span class="vh">: \(name, most: ChartLabel.mostCharacters)</span></summary>\
    \(html(name: name, by: renderer))</details>
    """
  }

  /// A table that scrolls on its own if it is wider than the page.
  ///
  /// - Parameters:
  ///   - isWhole: whether all rows are shown at once.
  ///   - renderer: what it is a part of.
  func html(name: String, isWhole: Bool = false, by renderer: ReportRenderer) -> HTML {
    let table = prefix(Self.mostHTMLRows)
    let name: HTML = "\(name, most: ChartLabel.mostCharacters)"
    let scroll = isWhole ? "scroll whole" : "scroll"
    return """
      <div class="\(scroll)" role="region" tabindex="0" aria-label="\(name)">\
      <table class="\(table.alignment)"><caption class="vh">\(name)</caption>\
      <thead><tr>\(headings.map(Self.heading))</tr></thead>\
      <tbody>\(table.rows.indices.map { table.rowHTML($0, renderer) })</tbody></table></div>\
      \(ReportRenderer.list(of: table.notes + [table.omission].compactMap(\.self)))
      """
  }

  private static func heading(_ text: String) -> HTML {
    // A narrow column would make the head of all columns high.
    let role: HTML = text.count > 12 ? " class=\"long\"" : ""
    return "<th\(role) scope=\"col\">\(text, most: InsightReport.mostCharacters)</th>"
  }

  private func rowHTML(_ number: Int, _ renderer: ReportRenderer) -> HTML {
    var cells: [HTML] = rows[number].map { "\($0, most: InsightReport.mostCharacters)" }
    guard !cells.isEmpty else { return "<tr></tr>\n" }
    var name = cells.removeFirst()
    if let link = link(ofRow: number) { name = renderer.link(to: link, name) }
    let others: [HTML] = cells.map { "<td>\($0)</td>" }
    return "<tr><th scope=\"row\">\(name)</th>\(others)</tr>\n"
  }

  /// The classes that align columns of numbers on the right.
  private var alignment: String {
    let columns = headings.indices.dropFirst().prefix(Self.mostAlignedColumns).filter { column in
      rows.prefix(20).contains { $0.indices.contains(column) && Self.isNumber($0[column]) }
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
