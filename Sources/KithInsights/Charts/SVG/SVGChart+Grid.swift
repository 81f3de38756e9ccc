// SPDX-License-Identifier: Apache-2.0

extension SVGChart {
  /// More columns would be too narrow to point at.
  private static let mostColumns = 60
  /// Room for a figure in a cell, such as `100%`.
  private static let figureWidth = 34.0
  /// Larger grids have no cell titles, to limit the size of the image.
  private static let mostTitledCells = 600

  func draw(_ grid: Grid, in frame: Frame, on canvas: inout SVGCanvas) {
    let rows = Array(grid.rowLabels.indices.suffix(Self.mostGridRows))
    let labels = min(
      (rows.map { SVGCanvas.width(grid.rowLabels[$0]) }.max() ?? 0) + 10, frame.width * 0.35)
    let most = grid.showsFigures ? Int((frame.width - labels) / Self.figureWidth) : Self.mostColumns
    let columns = Array(grid.columnLabels.indices.prefix(min(max(1, most), Self.mostColumns)))
    var plot = frame
    plot.x += labels
    plot.y += 22
    plot.width = max(20, frame.width - labels)
    plot.height = max(20, frame.height - 22 - 44)
    let size = (
      width: min(plot.width / Double(columns.count), 90), height: min(plot.height / Double(rows.count), 40)
    )
    plot.width = size.width * Double(columns.count)
    plot.height = size.height * Double(rows.count)

    columnLabels(grid, columns, size.width, plot, frame, on: &canvas)
    var freeRow = -Double.infinity
    for (position, row) in rows.enumerated() {
      let y = plot.y + (Double(position) + 0.5) * size.height
      guard y - freeRow >= 13 else { continue }
      canvas.text(grid.rowLabels[row], plot.x - 8, y + 4, "m", anchor: .end, width: labels - 8)
      freeRow = y
    }
    cells(grid, rows, columns, size, plot, on: &canvas)
    let hidden = grid.rowLabels.count - rows.count
    canvas.rows = DrawnRows(
      places: grid.rowLabels.indices.map { row in
        row < hidden
          ? nil : DrawnRows.Place(x: plot.x, y: plot.y + (Double(row - hidden) + 0.5) * size.height)
      }, columns: columns.map { plot.x + (Double($0) + 0.5) * size.width })
    let omitted = rows.count < grid.rowLabels.count || columns.count < grid.columnLabels.count
    scale(grid, plot, frame, note: omitted ? "more in the table" : nil, on: &canvas)
  }

  private func columnLabels(
    _ grid: Grid, _ columns: [Int], _ width: Double, _ plot: Frame, _ frame: Frame, on canvas: inout SVGCanvas
  ) {
    var free = -Double.infinity
    for (position, column) in columns.enumerated() {
      let label = ChartLabel.cut(ChartLabel.clean(grid.columnLabels[column]), to: 14)
      let half = SVGCanvas.width(label) / 2
      let x = min(plot.x + (Double(position) + 0.5) * width, max(frame.right - half, half))
      guard x - half >= free else { continue }
      canvas.text(label, x, plot.y - 8, "m", anchor: .middle)
      free = x + half + 6
    }
  }

  private func cells(
    _ grid: Grid, _ rows: [Int], _ columns: [Int], _ size: (width: Double, height: Double), _ plot: Frame,
    on canvas: inout SVGCanvas
  ) {
    let range = grid.valueRange ?? 0...0
    let gap = size.width > 8 && size.height > 8 ? 2.0 : 0.5
    let titled = rows.count * columns.count <= Self.mostTitledCells
    // Figures appear in all cells or in none.
    let labelled = rows.allSatisfy { row in
      columns.allSatisfy { column in
        grid.value(row, column).map { SVGCanvas.width(kind.shortText($0)) + 4 <= size.width } ?? true
      }
    }
    // Without titles, one path per shade keeps the image small.
    var paths: [String: String] = [:]
    for (down, row) in rows.enumerated() {
      for (across, column) in columns.enumerated() where grid.has(row, column) {
        let cell = Frame(
          x: plot.x + Double(across) * size.width + gap / 2, y: plot.y + Double(down) * size.height + gap / 2,
          width: size.width - gap, height: size.height - gap)
        let value = grid.value(row, column)
        let shade = value.map { grid.shade($0, in: range, of: ChartPalette.shadeCount) }
        let classes = shade.map { "q\($0)" } ?? "no"
        guard titled else {
          paths[classes, default: ""] += Self.box(cell)
          continue
        }
        canvas.rect(cell, classes, radius: gap, title: value.map { cellTitle(grid, row, column, $0) })
        if let value, let shade, labelled { label(value, shade, in: cell, on: &canvas) }
      }
    }
    for (classes, data) in paths.sorted(by: { $0.key < $1.key }) { canvas.path(data, classes) }
  }

  private static func box(_ cell: Frame) -> String {
    let (width, height) = (SVGCanvas.number(cell.width), SVGCanvas.number(cell.height))
    return "M\(SVGCanvas.number(cell.x)) \(SVGCanvas.number(cell.y))h\(width)v\(height)h-\(width)Z"
  }

  private func label(_ value: Double, _ shade: Int, in cell: Frame, on canvas: inout SVGCanvas) {
    guard cell.height >= 12 else { return }
    canvas.text(
      kind.shortText(value), cell.x + cell.width / 2, cell.y + cell.height / 2 + 4,
      shade < ChartPalette.firstStrongShade ? "weak" : "strong", anchor: .middle)
  }

  private func cellTitle(_ grid: Grid, _ row: Int, _ column: Int, _ value: Double) -> String {
    let size = grid.sampleSize(row, column).map { " (n = \(Decimal.text(Double($0), digits: 0)))" } ?? ""
    return "\(grid.rowLabels[row]), \(grid.columnLabels[column]): \(kind.text(value))\(size)"
  }

  /// Draws the shades with their values, and the names of rows and columns.
  private func scale(
    _ grid: Grid, _ plot: Frame, _ frame: Frame, note: String?, on canvas: inout SVGCanvas
  ) {
    var y = plot.bottom + 14
    var x = plot.x
    if let range = grid.valueRange {
      let (low, high) = (kind.shortText(grid.lowest(of: range)), kind.shortText(range.upperBound))
      canvas.text(low, x, y + 11, "m")
      x += SVGCanvas.width(low) + 10
      for shade in 0..<ChartPalette.shadeCount {
        canvas.rect(Frame(x: x, y: y + 1, width: 14, height: 12), "q\(shade)")
        x += 14
      }
      canvas.text(high, x + 6, y + 11, "m")
      x += SVGCanvas.width(high) + 22
    }
    if grid.hasGaps {
      canvas.rect(Frame(x: x, y: y + 1, width: 12, height: 12), "no", radius: 2)
      canvas.text("no data", x + 18, y + 11, "m", width: frame.right - x - 18)
      x += SVGCanvas.width("no data") + 36
    }
    if let note {
      if x + SVGCanvas.width(note) > frame.right { (x, y) = (frame.x, y + 16) }
      canvas.text(note, x, y + 11, "m", width: frame.right - x)
      x += SVGCanvas.width(note) + 18
    }
    let axes = "↓ \(grid.rowsName)  → \(grid.columnsName)"
    guard x + SVGCanvas.width(axes) <= frame.right else { return }
    canvas.text(axes, frame.right, y + 11, "m", anchor: .end)
  }
}
