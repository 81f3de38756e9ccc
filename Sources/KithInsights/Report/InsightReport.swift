// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// Figures, charts and tables with their texts, independent of the output format.
///
/// Texts may be untrusted; each format escapes them.
package struct InsightReport: Sendable, Hashable {
  /// A key figure.
  package struct Card: Sendable, Hashable {
    package var label: String
    package var value: String
    /// The change, with its sign and since when.
    package var change: String?
    package var sense: Sense
    package var detail: String?

    /// Whether the change is good or bad.
    package enum Sense: String, Sendable, Hashable, CaseIterable {
      case better, worse, neutral
    }

    package init(
      _ label: String, _ value: String, change: String? = nil, sense: Sense = .neutral, detail: String? = nil
    ) {
      self.label = label
      self.value = value
      self.change = change
      self.sense = sense
      self.detail = detail
    }
  }

  /// A section about one subject.
  package struct Section: Sendable, Hashable {
    /// The anchor for links; letters, digits and hyphens are kept, and it is made unique.
    package var id: String
    package var heading: String
    package var paragraphs: [String]
    package var chart: Chart?
    /// Shown instead of a chart, or in addition to it.
    package var table: ChartTable?
    package var notes: [String]

    package init(
      id: String, heading: String, paragraphs: [String] = [], chart: Chart? = nil, table: ChartTable? = nil,
      notes: [String] = []
    ) {
      self.id = id
      self.heading = heading
      self.paragraphs = paragraphs
      self.chart = chart
      self.table = table
      self.notes = notes
    }
  }

  package var title: String
  package var subtitle: String?
  package var generatedAt: Instant
  /// The time zone of the report.
  package var clock: ZonedClock
  package var cards: [Card]
  package var sections: [Section]
  package var notes: [String]

  package init(
    title: String, subtitle: String? = nil, generatedAt: Instant, clock: ZonedClock = .utc,
    cards: [Card] = [],
    sections: [Section] = [], notes: [String] = []
  ) {
    self.title = title
    self.subtitle = subtitle
    self.generatedAt = generatedAt
    self.clock = clock
    self.cards = cards
    self.sections = sections
    self.notes = notes
  }
}

extension InsightReport {
  /// Limit for paragraphs, which are longer than labels.
  static let mostCharacters = 4_000

  /// `Generated 2026-11-24 10:00, time zone Europe/Berlin`.
  var origin: String {
    "Generated \(Moment.tableText(generatedAt, clock, withTime: true)), time zone \(clock.name)"
  }

  /// A unique anchor for each section, valid in links.
  var anchors: [String] {
    var taken: Set<String> = ["main", "contents", "figures"]
    return sections.enumerated().map { index, section in
      let kept = section.id.utf8.prefix(60).map { byte -> Character in
        let isKept =
          (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte)
        return isKept ? Character(Unicode.Scalar(byte)) : "-"
      }
      var anchor = "s-" + (kept.isEmpty ? "\(index + 1)" : String(kept))
      while !taken.insert(anchor).inserted { anchor += "-\(index + 1)" }
      return anchor
    }
  }
}

extension InsightReport.Card {
  /// A symbol for the sense that does not depend on colour.
  var sign: String {
    switch sense {
    case .better: "✓"
    case .worse: "!"
    case .neutral: ""
    }
  }
}
