// SPDX-License-Identifier: Apache-2.0

import KithInsights

/// The sections of a report as cards in one or two columns.
struct AnalyticsSections {
  /// Where the figures of a section come from.
  enum Source: CaseIterable { case snapshots, survey }

  private struct Panel {
    let section: InsightReport.Section
    let anchor: String
    let html: HTML
  }

  private let panels: [Panel]

  init(_ report: InsightReport, _ renderer: ReportRenderer) {
    panels = zip(report.sections, report.anchors).map { section, anchor in
      var section = section
      section.isFolded = false
      section.table = section.table?.withoutEmptyColumns
      return Panel(section: section, anchor: anchor, html: renderer.panel(of: section, anchor))
    }
  }

  /// What is wanted first stands first.
  private static let order: [Source: [String]] = [
    .snapshots: [
      "growth", "flow", "forecast", "goal", "segments", "people", "cohorts", "follow-back", "blocks",
    ],
    .survey: [
      "top-followers", "top-mutuals", "posts", "engagement", "weekdays", "hours", "activity",
      "audience-hours", "audience-weekdays", "week", "ages", "languages", "domains", "words", "verification",
      "labels", "notable", "top-interactions", "top-influence", "bots",
    ],
  ]

  /// Charts of a long time and tables of many columns.
  private static let wide: Set<String> = [
    "growth", "flow", "people", "posts", "week", "notable", "top-interactions", "top-influence", "bots",
  ]

  /// Whether a section has a row of its own.
  static func isWide(_ section: String) -> Bool { wide.contains(section) }

  /// Links to the sections.
  var contents: HTML {
    let links = Source.allCases.flatMap(ordered).map { panel -> HTML in
      "<li><a href=\"#\(panel.anchor)\">\(panel.section.heading)</a></li>"
    }
    return """
      <nav aria-label="Contents"><details class="more"><summary>On this page</summary><ul class="line contents">\(links)</ul></details></nav>
      """
  }

  /// The sections of a source; those that have no place are among the last of the survey.
  private func ordered(_ source: Source) -> [Panel] {
    let named = (Self.order[source] ?? []).compactMap { id in panels.first { $0.section.id == id } }
    let placed = Set(Self.order.values.joined())
    return named + (source == .survey ? panels.filter { !placed.contains($0.section.id) } : [])
  }

  /// The sections of a source: one with a row of its own, or several beside each other.
  func html(of source: Source) -> HTML {
    var (html, group) = (HTML(), [HTML]())
    func close() {
      if !group.isEmpty { html += "<div class=\"pack\">\(group)</div>" }
      group = []
    }
    for panel in ordered(source) {
      if Self.isWide(panel.section.id) {
        close()
        html += panel.html
      } else {
        group.append(panel.html)
      }
    }
    close()
    return html
  }
}
