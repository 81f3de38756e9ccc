// SPDX-License-Identifier: Apache-2.0

/// One value per category, as horizontal bars.
public struct CategoryBars: Sendable, Hashable {
  /// One category.
  public struct Item: Sendable, Hashable {
    public var label: String
    /// Nil if there is too little data; shown as such.
    public var value: Double?
    /// The confidence interval, drawn as whiskers.
    public var interval: ClosedRange<Double>?
    public var sampleSize: Int?
    public var emphasis: Emphasis

    /// How an item stands out.
    public enum Emphasis: String, Sendable, Hashable, CaseIterable {
      case better, worse, more, fewer, none
    }

    public init(
      _ label: String, _ value: Double?, interval: ClosedRange<Double>? = nil, sampleSize: Int? = nil,
      emphasis: Emphasis = .none
    ) {
      self.label = label
      self.value = value
      self.interval = interval
      self.sampleSize = sampleSize
      self.emphasis = emphasis
    }
  }

  /// In drawing order.
  public var items: [Item]
  /// The text for a nil value.
  public var missingText: String

  public init(items: [Item], missingText: String = "too few") {
    self.items = items
    self.missingText = missingText
  }
}

extension CategoryBars.Item {
  /// The value, if it is finite.
  var finiteValue: Double? { value.flatMap { $0.isFinite ? $0 : nil } }

  /// The interval, if both ends are finite.
  var finiteInterval: ClosedRange<Double>? {
    interval.flatMap { $0.lowerBound.isFinite && $0.upperBound.isFinite ? $0 : nil }
  }

  /// Whether it stands out by a high or a low value; nil if it does not.
  var isHigh: Bool? {
    switch emphasis {
    case .better, .more: true
    case .worse, .fewer: false
    case .none: nil
    }
  }

  /// A symbol that does not depend on colour.
  var emphasisSign: String {
    switch emphasis {
    case .better, .more: "▲"
    case .worse, .fewer: "▼"
    case .none: ""
    }
  }
}

extension CategoryBars {
  /// From the lowest to the highest value or whisker, including zero.
  var valueRange: ClosedRange<Double> {
    var (lowest, highest) = (0.0, 0.0)
    for item in items {
      guard let value = item.finiteValue else { continue }
      let interval = item.finiteInterval ?? value...value
      lowest = min(lowest, value, interval.lowerBound)
      highest = max(highest, value, interval.upperBound)
    }
    return lowest...highest
  }

  func intervalText(_ item: Item, _ kind: ValueKind) -> String? {
    item.finiteInterval.map { "\(kind.text($0.lowerBound)) – \(kind.text($0.upperBound))" }
  }

  func summary(_ kind: ValueKind) -> String {
    let texts = items.prefix(20).map { item in
      "\(item.label): \(item.finiteValue.map(kind.text) ?? missingText)"
        + (item.emphasis == .none ? "" : " (\(item.emphasis.rawValue))")
    }
    return "Bar chart. " + texts.joined(separator: "; ")
      + (items.count > 20 ? "; \(items.count - 20) more." : ".")
  }

  func table(_ kind: ValueKind, mostRows: Int) -> ChartTable {
    let hasInterval = items.contains { $0.interval != nil }
    let hasSize = items.contains { $0.sampleSize != nil }
    let hasEmphasis = items.contains { $0.emphasis != .none }
    var headings = ["Category", "Value"]
    if hasInterval { headings += ["Low", "High"] }
    if hasSize { headings.append("Sample size") }
    if hasEmphasis { headings.append("Compared") }
    let rows = items.prefix(mostRows).map { item in
      var row = [item.label, item.finiteValue.map(kind.text) ?? missingText]
      if hasInterval {
        row += [item.interval.map { kind.text($0.lowerBound) } ?? ""]
        row += [item.interval.map { kind.text($0.upperBound) } ?? ""]
      }
      if hasSize { row.append(item.sampleSize.map { Decimal.text(Double($0), digits: 0) } ?? "") }
      if hasEmphasis { row.append(item.emphasis == .none ? "" : item.emphasis.rawValue) }
      return row
    }
    return ChartTable(headings: headings, rows: rows, omittedAfter: items.count - rows.count)
  }
}
