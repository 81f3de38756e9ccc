// SPDX-License-Identifier: Apache-2.0

/// The content of a chart, independent of its position and size.
///
/// Texts may be untrusted; each renderer escapes them.
public struct Chart: Sendable, Hashable {
  public var title: String
  public var subtitle: String?
  /// What a reader has to know to interpret it, one sentence each.
  public var notes: [String]
  /// The meaning of its values.
  public var valueKind: ValueKind
  public var content: Content

  /// The kinds of charts.
  public enum Content: Sendable, Hashable {
    case timeline(Timeline)
    case flows(FlowBars)
    case categories(CategoryBars)
    case grid(Grid)
  }

  public init(
    _ title: String, subtitle: String? = nil, notes: [String] = [], valueKind: ValueKind = .count,
    content: Content
  ) {
    self.title = title
    self.subtitle = subtitle
    self.notes = notes
    self.valueKind = valueKind
    self.content = content
  }

  /// All numbers of the chart as a table.
  public var table: ChartTable { table(mostRows: .max) }

  /// The table, limited to a number of rows: the latest ones of a time series, otherwise the first ones.
  public func table(mostRows most: Int) -> ChartTable {
    let most = max(0, most)
    return switch content {
    case .timeline(let timeline): timeline.table(valueKind, mostRows: most)
    case .flows(let flows): flows.table(valueKind, mostRows: most)
    case .categories(let bars): bars.table(valueKind, mostRows: most)
    case .grid(let grid): grid.table(valueKind, mostRows: most)
    }
  }

  /// Whether there is nothing to draw.
  public var isEmpty: Bool {
    switch content {
    case .timeline(let timeline): timeline.valueRange == nil
    case .flows(let flows): flows.items.isEmpty
    case .categories(let bars): bars.items.isEmpty
    case .grid(let grid): grid.rowLabels.isEmpty || grid.columnLabels.isEmpty
    }
  }

  /// What a sentence says as well as a picture: bars of which one is nearly everything. Nil for other charts.
  var sentence: String? {
    guard case .categories(let bars) = content, valueKind == .share,
      let first = bars.items.max(by: { $0.finiteValue ?? 0 < $1.finiteValue ?? 0 }),
      let value = first.finiteValue, value >= 0.95
    else { return nil }
    let others = bars.items.filter { $0.label != first.label && $0.finiteValue ?? 0 > 0 }.prefix(5)
    let interval = bars.intervalText(first, valueKind).map { " (\($0))" } ?? ""
    let size = first.sampleSize.map { " of \(Decimal.text(Double($0), digits: 0)) examined" } ?? ""
    return
      "\(first.label.prefix(1).uppercased() + first.label.dropFirst()): \(valueKind.text(value))\(interval)\(size)."
      + (others.isEmpty
        ? ""
        : " Others: "
          + others.map { "\($0.label) \(valueKind.text($0.finiteValue ?? 0))" }.joined(separator: ", ") + ".")
  }

  /// A text description of the chart, for accessibility.
  var summary: String {
    guard !isEmpty else { return "No data." }
    return switch content {
    case .timeline(let timeline): timeline.summary(valueKind)
    case .flows(let flows): flows.summary(valueKind)
    case .categories(let bars): bars.summary(valueKind)
    case .grid(let grid): grid.summary(valueKind)
    }
  }
}

/// Headings and rows of text.
public struct ChartTable: Sendable, Hashable {
  public var headings: [String]
  /// Each as long as the headings; the first cell is the row's name.
  public var rows: [[String]]
  /// Number of rows omitted before the first one.
  public var omittedBefore: Int
  /// Number of rows omitted after the last one.
  public var omittedAfter: Int
  /// Notes that apply to all rows.
  public var notes: [String]
  /// The pages to which the first cells of the rows lead, beginning with `https://`; empty for none.
  public var links: [String?]

  public init(
    headings: [String], rows: [[String]], omittedBefore: Int = 0, omittedAfter: Int = 0, notes: [String] = [],
    links: [String?] = []
  ) {
    self.links = links
    self.headings = headings
    self.rows = rows
    self.omittedBefore = omittedBefore
    self.omittedAfter = omittedAfter
    self.notes = notes
  }

  /// The table with at most this many of its first rows.
  public func prefix(_ most: Int) -> ChartTable {
    guard rows.count > max(0, most) else { return self }
    var table = self
    table.rows = Array(rows.prefix(max(0, most)))
    table.omittedAfter += rows.count - table.rows.count
    return table
  }

  /// The table without columns of which no row says anything.
  package var withoutEmptyColumns: ChartTable {
    let columns = headings.indices.filter { column in
      rows.contains { $0.indices.contains(column) && !$0[column].isEmpty }
    }
    guard !rows.isEmpty, columns.count < headings.count else { return self }
    var table = self
    table.headings = columns.map { headings[$0] }
    table.rows = rows.map { row in columns.filter(row.indices.contains).map { row[$0] } }
    return table
  }

  /// The page of a row; nil if it has none, or one that is not a web page.
  func link(ofRow row: Int) -> String? {
    guard links.indices.contains(row), let link = links[row], link.hasPrefix("https://") else { return nil }
    // Without quotes, brackets and bars it is safe in each format.
    let isPlain = link.utf8.allSatisfy { byte in
      (0x21...0x7E).contains(byte) && ![0x22, 0x27, 0x3C, 0x3E, 0x5C, 0x60, 0x7C].contains(byte)
    }
    return isPlain ? link : nil
  }

  /// A description of omitted rows; nil for a complete table.
  var omission: String? {
    func text(_ count: Int, _ which: String) -> String? {
      count > 0 ? "\(Decimal.text(Double(count), digits: 0)) \(which) \(count == 1 ? "row" : "rows")" : nil
    }
    let parts = [text(omittedBefore, "earlier"), text(omittedAfter, "more")].compactMap { $0 }
    return parts.isEmpty ? nil : parts.joined(separator: " and ") + " left out."
  }
}
