// SPDX-License-Identifier: Apache-2.0

/// Values by row and column, as coloured cells: hours and weekdays, cohorts and their ages.
public struct Grid: Sendable, Hashable {
  public var rowLabels: [String]
  public var columnLabels: [String]
  /// By row, then by column. A cell that is nil or not finite is drawn empty; one that a row lacks at its end is yet to
  /// come, and is not drawn.
  public var cells: [[Double?]]
  /// The sample size of each value, in the order of ``cells``; empty if unknown.
  public var sampleSizes: [[Int?]]
  /// The names of the two dimensions.
  public var rowsName: String
  public var columnsName: String
  /// Whether each cell has its figure, so that a narrow picture has fewer columns, and the shades begin at the lowest
  /// value.
  public var showsFigures: Bool

  public init(
    rowLabels: [String], columnLabels: [String], cells: [[Double?]], sampleSizes: [[Int?]] = [],
    rowsName: String = "Row", columnsName: String = "Column", showsFigures: Bool = false
  ) {
    self.showsFigures = showsFigures
    self.rowLabels = rowLabels
    self.columnLabels = columnLabels
    self.cells = cells
    self.sampleSizes = sampleSizes
    self.rowsName = rowsName
    self.columnsName = columnsName
  }

  /// The value of a cell; nil if there is none.
  public func value(_ row: Int, _ column: Int) -> Double? {
    guard cells.indices.contains(row), cells[row].indices.contains(column) else { return nil }
    return cells[row][column].flatMap { $0.isFinite ? $0 : nil }
  }

  /// Whether a row has a cell, or will have it.
  func has(_ row: Int, _ column: Int) -> Bool {
    cells.indices.contains(row) && cells[row].indices.contains(column)
  }

  /// The sample size of a cell.
  public func sampleSize(_ row: Int, _ column: Int) -> Int? {
    guard sampleSizes.indices.contains(row), sampleSizes[row].indices.contains(column) else { return nil }
    return sampleSizes[row][column]
  }
}

extension Grid {
  /// From the lowest to the highest cell; nil if all are empty.
  var valueRange: ClosedRange<Double>? {
    var range: ClosedRange<Double>?
    for row in rowLabels.indices {
      for column in columnLabels.indices {
        guard let value = value(row, column) else { continue }
        range = min(range?.lowerBound ?? value, value)...max(range?.upperBound ?? value, value)
      }
    }
    return range
  }

  /// Whether a cell has no value.
  var hasGaps: Bool {
    rowLabels.indices.contains { row in
      columnLabels.indices.contains { has(row, $0) && value(row, $0) == nil }
    }
  }

  /// Where the shades begin: at zero, or at the lowest value if each cell has its figure.
  func lowest(of range: ClosedRange<Double>) -> Double {
    showsFigures ? range.lowerBound : min(0, range.lowerBound)
  }

  /// Shades from 0 to `count` - 1, lowest to highest.
  func shade(_ value: Double, in range: ClosedRange<Double>, of count: Int) -> Int {
    let low = lowest(of: range)
    let part = (value - low) / (range.upperBound - low)
    return part.isFinite ? min(max(Int(part * Double(count)), 0), count - 1) : count / 2
  }

  func summary(_ kind: ValueKind) -> String {
    let size =
      "Grid of \(rowLabels.count) rows (\(rowsName)) and \(columnLabels.count) columns (\(columnsName)). "
    guard let range = valueRange else { return size + "All cells are empty." }
    return size + "Values from \(kind.text(range.lowerBound)) to \(kind.text(range.upperBound))."
  }

  func table(_ kind: ValueKind, mostRows: Int) -> ChartTable {
    let rows = rowLabels.indices.prefix(mostRows).map { row in
      [rowLabels[row]]
        + columnLabels.indices.map { column in
          guard has(row, column) else { return "not yet" }
          guard let value = value(row, column) else { return ValueKind.missing }
          let size = sampleSize(row, column).map { " (n = \(Decimal.text(Double($0), digits: 0)))" } ?? ""
          return kind.text(value) + size
        }
    }
    return ChartTable(
      headings: [rowsName] + columnLabels, rows: rows, omittedAfter: rowLabels.count - rows.count,
      notes: sampleSizes.isEmpty ? [] : ["n is the sample size of a cell."])
  }
}
