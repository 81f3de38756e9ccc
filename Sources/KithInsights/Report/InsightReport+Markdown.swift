// SPDX-License-Identifier: Apache-2.0

extension InsightReport {
  /// Longer tables are truncated.
  private static let mostMarkdownRows = 60

  /// The report as GitHub-flavoured Markdown: charts as their tables, tables limited to 60 rows.
  public func markdown() -> String {
    var blocks = ["# \(MarkdownText.escaped(title))"]
    if let headline { blocks.append(MarkdownText.paragraph(headline)) }
    if let subtitle { blocks.append(MarkdownText.paragraph(subtitle)) }
    blocks.append("_\(MarkdownText.escaped(origin))_")
    if !cards.isEmpty {
      let rows = cards.map { card in
        [
          card.label, card.value,
          [card.sign, card.change ?? ""].filter { !$0.isEmpty }.joined(separator: " "),
        ]
          + [card.detail ?? ""]
      }
      let table = ChartTable(headings: ["Figure", "Value", "Change", "Detail"], rows: rows)
      blocks.append("## Key figures")
      blocks += MarkdownText.table(table)
    }
    for section in sections { blocks += self.blocks(of: section) }
    blocks += [MarkdownText.list(notes)].compactMap { $0 }
    return blocks.joined(separator: "\n\n") + "\n"
  }

  private func blocks(of section: Section) -> [String] {
    var blocks = ["## \(MarkdownText.escaped(section.heading))"]
    blocks += section.paragraphs.map(MarkdownText.paragraph)
    if let chart = section.chart {
      if chart.title != section.heading { blocks.append("### \(MarkdownText.escaped(chart.title))") }
      if let subtitle = chart.subtitle { blocks.append(MarkdownText.paragraph(subtitle)) }
      blocks += MarkdownText.table(chart.table(mostRows: Self.mostMarkdownRows))
      blocks += [MarkdownText.list(chart.notes)].compactMap { $0 }
    }
    if let table = section.table { blocks += MarkdownText.table(table.prefix(Self.mostMarkdownRows)) }
    return blocks + [MarkdownText.list(section.notes)].compactMap { $0 }
  }
}

/// Text in GitHub-flavoured Markdown.
enum MarkdownText {
  /// Clean text without any markup, link, mention or reference.
  static func escaped(_ text: String) -> String {
    var (escaped, previous) = ("", Unicode.Scalar(0x20))
    for scalar in ChartLabel.clean(text, most: InsightReport.mostCharacters).unicodeScalars {
      if isDigit(scalar), previous == "#" || escaped.lowercased().hasSuffix("gh-") {
        // `#1` and `GH-1` would refer to issues, even with escapes: readers look at the decoded text.
        escaped.unicodeScalars.append(separator)
      }
      switch scalar {
      case "\\", "`", "*", "_", "[", "]", "|", "~", "#", "!", "$":
        escaped += "\\"
        escaped.unicodeScalars.append(scalar)
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "&": escaped += "&amp;"
      // An account name would mention the GitHub user with that name, and an address become a link, even with
      // escapes.
      case "@":
        escaped += "&#64;"
        escaped.unicodeScalars.append(separator)
      // `https://` and `www.` would become links.
      case ":" where schemes.contains(where: escaped.lowercased().hasSuffix): escaped += "&#58;"
      case "." where previous == "w" || previous == "W": escaped += "&#46;"
      default: escaped.unicodeScalars.append(scalar)
      }
      previous = scalar
    }
    return escaped
  }

  /// What GitHub makes links of, with a colon behind.
  private static let schemes = ["http", "https", "ftp", "mailto", "xmpp"]

  /// Separates what must not be read together, invisibly.
  private static let separator: Unicode.Scalar = "\u{200B}"

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

  /// Escaped, and never a list, whatever it begins with.
  static func paragraph(_ text: String) -> String {
    let escaped = escaped(text)
    let start = escaped.drop { $0 == " " }
    guard let first = start.unicodeScalars.first else { return "" }
    if first == "-" || first == "+" || first == "=" { return "\\" + start }
    let remaining = start.drop { ("0"..."9").contains($0) }
    guard remaining.startIndex > start.startIndex, let mark = remaining.first, mark == "." || mark == ")"
    else {
      return String(start)
    }
    return start[..<remaining.startIndex] + "\\" + remaining
  }

  static func list(_ items: [String]) -> String? {
    items.isEmpty ? nil : items.map { "- \(paragraph($0))" }.joined(separator: "\n")
  }

  /// A table followed by its notes.
  static func table(_ table: ChartTable) -> [String] {
    let line = { (cells: [String]) in "| " + cells.map(escaped).joined(separator: " | ") + " |" }
    let rule = "|" + table.headings.indices.map { $0 == 0 ? " :-- |" : " --: |" }.joined()
    let rows = table.rows.enumerated().map { number, row -> String in
      guard let link = table.link(ofRow: number), let first = row.first else { return line(row) }
      // The page is our own text; only the name of the link is a stranger's.
      let cells = ["[\(escaped(first))](<\(link)>)"] + row.dropFirst().map(escaped)
      return "| " + cells.joined(separator: " | ") + " |"
    }
    let lines = [line(table.headings), rule] + rows
    return [lines.joined(separator: "\n")]
      + [list(table.notes + [table.omission].compactMap { $0 })].compactMap { $0 }
  }
}
