// SPDX-License-Identifier: Apache-2.0

/// Gains and losses per period, as bars up and down.
public struct FlowBars: Sendable, Hashable {
  /// The gains of one period.
  public struct Part: Sendable, Hashable {
    /// The name of the period, as ``CalendarPeriod`` writes it, or any other name.
    public var label: String
    /// Nil if unknown; negative figures count as zero.
    public var gained: Int?

    public init(_ label: String, gained: Int?) {
      self.label = label
      self.gained = gained
    }
  }

  /// One period, or several of which only the sum of the losses is known: these are spread over the periods.
  public struct Item: Sendable, Hashable {
    public var parts: [Part]
    /// Gains in some of the periods, spread over them like the losses.
    public var undated: Int
    /// Accounts that own blocks hid, and those that are shown again: neither gains nor losses, so they have no bar.
    public var hidden = 0
    public var shown = 0
    /// Nil if unknown, for which no bar is drawn; negative figures count as zero.
    public var lost: Int?
    /// How far snapshots cover the periods; all except `whole` are drawn paler.
    public var coverage: AudienceFlow.Coverage
    /// The time in which the losses were, in words; nil if that is the period.
    public var lossTime: String?

    /// Creates an item of several periods.
    public init(
      _ parts: [Part], undated: Int = 0, lost: Int?, coverage: AudienceFlow.Coverage, lossTime: String? = nil
    ) {
      self.parts = parts
      self.undated = undated
      self.lost = lost
      self.coverage = coverage
      self.lossTime = lossTime
    }

    /// Creates an item of one period.
    public init(_ label: String, gained: Int?, lost: Int?, coverage: AudienceFlow.Coverage = .whole) {
      self.init([Part(label, gained: gained)], lost: lost, coverage: coverage)
    }

    /// The name of the period, or of the first and the last one.
    var label: String {
      guard let first = parts.first?.label, let last = parts.last?.label else { return "" }
      return parts.count > 1 ? "\(first) to \(last)" : first
    }

    /// All gains; nil if unknown.
    var gained: Int? {
      let known = parts.reduce(max(0, undated)) { $0 + max(0, $1.gained ?? 0) }
      return known > 0 || coverage.isObserved || parts.contains { $0.gained != nil } ? known : nil
    }

    /// Gains less losses; nil if either is unknown.
    public var net: Int? {
      guard coverage.isObserved else { return nil }
      return gained.flatMap { gained in lost.map { gained - max(0, $0) } }
    }
  }

  /// In drawing order.
  public var items: [Item]
  /// The names of the two directions.
  public var gainedName: String
  public var lostName: String
  /// Whether gains less losses mean something.
  public var showsNet: Bool

  public init(
    items: [Item], gainedName: String = "Gained", lostName: String = "Lost", showsNet: Bool = true
  ) {
    self.items = items.filter { !$0.parts.isEmpty }
    self.gainedName = gainedName
    self.lostName = lostName
    self.showsNet = showsNet
  }
}

extension AudienceFlow.Coverage {
  /// The meaning of a paler bar, or of a missing one; nil for whole periods.
  var chartNote: String? {
    switch self {
    case .survivors: "only those that stayed until the first snapshot"
    case .unobserved: "not observed"
    case .partial: "partial period"
    case .interval: "spread evenly between two snapshots"
    case .whole: nil
    }
  }
}

extension FlowBars {
  /// What is drawn for one period.
  struct Slot {
    let label: String
    let gained: Double?
    let lost: Double?
    let net: Double?
    let coverage: AudienceFlow.Coverage
    /// The part of the gains that is spread over several periods.
    var spreadGains = 0.0
  }

  /// A bar of a chart: one period, or the extremes of several that share a bar.
  struct Bar {
    /// The first and last period of the bar.
    let slots: ClosedRange<Int>
    let gained: Double?
    let lost: Double?
    let lowestNet: Double?
    let highestNet: Double?
    let isPale: Bool
    /// Whether its losses are spread over several periods.
    let isSpread: Bool
    /// The part of its gains that is spread over several periods.
    let spreadGains: Double
  }

  /// All periods, with what is known for several of them spread over these.
  var slots: [Slot] {
    items.flatMap { item in
      let share = 1 / Double(max(1, item.parts.count))
      let lost = item.lost.map { Double(max(0, $0)) * share }
      return item.parts.map { part in
        // What came in some of the periods is spread over those in which none is known to have come, too.
        let undated = item.undated > 0 ? Double(item.undated) * share : nil
        let gained = part.gained.map { Double(max(0, $0)) + (undated ?? 0) } ?? undated
        // Where the losses are known only for several parts together, so is the net change.
        return Slot(
          label: part.label, gained: gained, lost: lost,
          net: showsNet ? item.net.map { Double($0) * share } : nil, coverage: item.coverage,
          spreadGains: item.parts.count > 1 ? undated ?? 0 : 0)
      }
    }
  }

  /// At most this many bars; each shows the largest figures of its periods.
  func bars(most: Int) -> [Bar] {
    let slots = slots
    let group = max(1, (slots.count + max(1, most) - 1) / max(1, most))
    return stride(from: 0, to: slots.count, by: group).map { first in
      let last = min(first + group, slots.count) - 1
      let part = slots[first...last]
      let nets = part.compactMap(\.net)
      return Bar(
        slots: first...last, gained: part.compactMap(\.gained).max(), lost: part.compactMap(\.lost).max(),
        lowestNet: nets.min(), highestNet: nets.max(),
        isPale: part.allSatisfy { $0.coverage != .whole },
        isSpread: part.contains { $0.coverage == .interval },
        spreadGains: part.map(\.spreadGains).max() ?? 0)
    }
  }

  /// From the largest loss to the largest gain.
  var valueRange: ClosedRange<Double> {
    let slots = slots
    return -(slots.compactMap(\.lost).max() ?? 0)...(slots.compactMap(\.gained).max() ?? 0)
  }

  /// The meanings of paler and missing bars.
  var notes: [String] {
    AudienceFlow.Coverage.allCases.filter { coverage in items.contains { $0.coverage == coverage } }
      .compactMap(\.chartNote)
  }

  func summary(_ kind: ValueKind) -> String {
    guard let first = items.first, let last = items.last else { return "No data." }
    func total(_ figure: (Item) -> Int?) -> String {
      let known = items.compactMap(figure)
      guard !known.isEmpty else { return "unknown" }
      let sum = kind.text(known.reduce(0.0) { $0 + Double(max(0, $1)) })
      return known.count < items.count ? "\(sum) in the periods for which it is known" : sum
    }
    let count = items.reduce(0) { $0 + $1.parts.count }
    let span =
      count == 1
      ? first.label : "\(count) periods, \(first.parts[0].label) to \(last.parts[last.parts.count - 1].label)"
    return "Bar chart. \(span). \(gainedName): \(total(\.gained)). \(lostName): \(total(\.lost))."
  }

  func table(_ kind: ValueKind, mostRows: Int) -> ChartTable {
    let shown = items.suffix(mostRows)
    let coverages = items.contains { $0.coverage != .whole }
    let hides = items.contains { $0.hidden > 0 || $0.shown > 0 }
    func text(_ count: Int?) -> String { count.map { kind.text(Double(max(0, $0))) } ?? ValueKind.missing }
    return ChartTable(
      headings: ["Period", gainedName, lostName] + (showsNet ? ["Net"] : [])
        + (hides ? ["Hidden by your own blocks", "Shown again"] : []) + (coverages ? ["Coverage"] : []),
      rows: shown.map { item in
        [item.label, text(item.gained), text(item.lost)]
          + (showsNet ? [item.net.map { kind.signedText(Double($0)) } ?? ValueKind.missing] : [])
          + (hides ? [text(item.hidden), text(item.shown)] : []) + (coverages ? [coverage(item)] : [])
      },
      omittedBefore: items.count - shown.count)
  }

  private func coverage(_ item: Item) -> String {
    switch item.coverage {
    case .whole: "whole period"
    case .interval: item.lossTime.map { "lost \($0)" } ?? "between two snapshots"
    default: item.coverage.chartNote ?? ""
    }
  }
}
