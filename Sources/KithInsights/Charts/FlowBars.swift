// SPDX-License-Identifier: Apache-2.0

/// Gains and losses per period, as bars up and down.
public struct FlowBars: Sendable, Hashable {
  /// One period.
  public struct Item: Sendable, Hashable {
    /// The name of the period, as ``CalendarPeriod`` writes it, or any other name.
    public var label: String
    public var gained: Int
    public var lost: Int
    /// How far snapshots cover the period; all except `whole` are drawn paler.
    public var coverage: AudienceFlow.Coverage

    /// Creates an item; negative figures count as zero.
    public init(_ label: String, gained: Int, lost: Int, coverage: AudienceFlow.Coverage = .whole) {
      self.label = label
      self.gained = max(0, gained)
      self.lost = max(0, lost)
      self.coverage = coverage
    }

    /// Gains less losses.
    public var net: Int { max(0, gained) - max(0, lost) }
  }

  /// In drawing order.
  public var items: [Item]
  /// The names of the two directions.
  public var gainedName: String
  public var lostName: String

  public init(items: [Item], gainedName: String = "Gained", lostName: String = "Lost") {
    self.items = items
    self.gainedName = gainedName
    self.lostName = lostName
  }
}

extension AudienceFlow.Coverage {
  /// The meaning of a paler bar; nil for whole periods.
  var chartNote: String? {
    switch self {
    case .survivors: "only survivors"
    case .partial: "partial period"
    case .delayed: "changes may be of earlier periods"
    case .whole: nil
    }
  }
}

extension FlowBars {
  /// A bar of a chart: one period, or the extremes of several that share a bar.
  struct Bar {
    /// The first and last item of the bar.
    let items: ClosedRange<Int>
    let gained: Int
    let lost: Int
    let lowestNet: Int
    let highestNet: Int
    let isPale: Bool
  }

  /// At most this many bars; each shows the largest figures of its periods.
  func bars(most: Int) -> [Bar] {
    let group = max(1, (items.count + max(1, most) - 1) / max(1, most))
    return stride(from: 0, to: items.count, by: group).map { first in
      let last = min(first + group, items.count) - 1
      let part = items[first...last]
      let nets = part.map(\.net)
      return Bar(
        items: first...last, gained: part.map(\.gained).max() ?? 0, lost: part.map(\.lost).max() ?? 0,
        lowestNet: nets.min() ?? 0, highestNet: nets.max() ?? 0,
        isPale: part.allSatisfy { $0.coverage != .whole })
    }
  }

  /// From the largest loss to the largest gain.
  var valueRange: ClosedRange<Double> {
    let gained = items.lazy.map(\.gained).max() ?? 0
    let lost = items.lazy.map(\.lost).max() ?? 0
    return -Double(max(0, lost))...Double(max(0, gained))
  }

  func summary(_ kind: ValueKind) -> String {
    guard let first = items.first, let last = items.last else { return "No data." }
    func total(_ figure: (Item) -> Int) -> String {
      kind.text(items.reduce(0.0) { $0 + Double(figure($1)) })
    }
    let span = items.count == 1 ? first.label : "\(items.count) periods, \(first.label) to \(last.label)"
    return "Bar chart. \(span). \(gainedName): \(total(\.gained)). \(lostName): \(total(\.lost)). "
      + "Net: \(total(\.net))."
  }

  func table(_ kind: ValueKind, mostRows: Int) -> ChartTable {
    let shown = items.suffix(mostRows)
    let coverages = items.contains { $0.coverage != .whole }
    return ChartTable(
      headings: ["Period", gainedName, lostName, "Net"] + (coverages ? ["Coverage"] : []),
      rows: shown.map { item in
        [
          item.label, kind.text(Double(item.gained)), kind.text(Double(item.lost)),
          kind.signedText(Double(item.net)),
        ] + (coverages ? [item.coverage.chartNote ?? "whole period"] : [])
      },
      omittedBefore: items.count - shown.count)
  }
}
