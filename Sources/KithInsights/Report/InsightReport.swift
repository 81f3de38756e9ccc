// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// Figures, charts and tables with their texts, independent of the output format.
///
/// Texts may be untrusted; each format escapes them.
public struct InsightReport: Sendable, Hashable {
  /// A key figure.
  public struct Card: Sendable, Hashable {
    public var label: String
    public var value: String
    /// The change, with its sign and since when.
    public var change: String?
    public var sense: Sense
    public var detail: String?
    /// What is counted, if that can be listed.
    package var subject: Subject?

    /// What a card counts.
    package enum Subject: Sendable { case followers, follows, mutuals, blocks }

    /// Whether the change is good or bad.
    public enum Sense: String, Sendable, Hashable, CaseIterable {
      case better, worse, neutral
    }

    public init(
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
  public struct Section: Sendable, Hashable {
    /// The anchor for links; letters, digits and hyphens are kept, and it is made unique.
    public var id: String
    public var heading: String
    public var paragraphs: [String]
    public var chart: Chart?
    /// Shown instead of a chart, or in addition to it.
    public var table: ChartTable?
    public var notes: [String]
    /// Whether a page shows only its heading until the reader opens it.
    public var isFolded = false

    public init(
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

  public var title: String
  public var subtitle: String?
  /// The subtitle of a picture, which has less room.
  public var pictureSubtitle: String?
  /// What matters most, in a sentence.
  public var headline: String?
  public var generatedAt: Instant
  /// The time zone of the report.
  public var clock: ZonedCalendar
  public var cards: [Card]
  public var sections: [Section]
  public var notes: [String]

  public init(
    title: String, subtitle: String? = nil, pictureSubtitle: String? = nil, headline: String? = nil,
    generatedAt: Instant, clock: ZonedCalendar = .utc, cards: [Card] = [], sections: [Section] = [],
    notes: [String] = []
  ) {
    self.pictureSubtitle = pictureSubtitle
    self.title = title
    self.subtitle = subtitle
    self.headline = headline
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
  package var anchors: [String] {
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
    case .better: "▲"
    case .worse: "▼"
    case .neutral: ""
    }
  }
}
