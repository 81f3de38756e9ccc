// SPDX-License-Identifier: Apache-2.0

extension TextChart {
  /// Numbers if all of them fit into their columns, otherwise shades.
  func lines(_ grid: Grid) -> [TextLine] {
    let rows = Array(grid.rowLabels.indices.suffix(Self.mostRows))
    let (names, nameWidth) = labels(rows.map { grid.rowLabels[$0] }, most: max(7, columns / 5))
    let room = columns - nameWidth - 1
    let shownColumns = Array(grid.columnLabels.indices.prefix(room))
    let texts = rows.map { row in
      shownColumns.map {
        grid.value(row, $0).map { kind.shortText($0) } ?? (grid.has(row, $0) ? glyph("·", ".") : "")
      }
    }
    let widest = texts.joined().map { ChartLabel.width($0) }.max() ?? 1
    let showsFigures = (widest + 1) * shownColumns.count <= room
    let width = showsFigures ? widest + 1 : min(4, max(1, room / max(1, shownColumns.count)))

    var lines = [header(grid, shownColumns, nameWidth + 1, width, alignedRight: showsFigures)]
    for (position, row) in rows.enumerated() {
      var line = TextLine()
      line.add(names[position], endingAt: nameWidth)
      line.add(" ")
      for (place, column) in shownColumns.enumerated() {
        if showsFigures {
          line.add(
            texts[position][place], grid.value(row, column) == nil ? .muted : nil,
            endingAt: nameWidth + 1 + (place + 1) * width)
        } else {
          line.add(shade(grid, row, column, width))
        }
      }
      lines.append(line)
    }
    if !showsFigures { lines.append(scale(grid)) }
    return lines + omission(grid.rowLabels.count - rows.count, "earlier rows")
      + omission(grid.columnLabels.count - shownColumns.count, "more columns")
  }

  private var shades: [String] { style.unicode ? ["░", "▒", "▓", "█"] : [".", "-", "+", "#"] }

  private func shade(_ grid: Grid, _ row: Int, _ column: Int, _ width: Int) -> String {
    let cells = width > 2 ? width - 1 : width
    let end = String(repeating: " ", count: width - cells)
    guard let value = grid.value(row, column) else {
      return String(repeating: " ", count: cells) + end
    }
    let index = grid.shade(value, in: grid.valueRange ?? 0...0, of: shades.count)
    return String(repeating: shades[index], count: cells) + end
  }

  /// As many column names as fit.
  private func header(
    _ grid: Grid, _ columns: [Int], _ start: Int, _ width: Int, alignedRight: Bool
  ) -> TextLine {
    let labels = columns.map {
      ChartLabel.cut(ChartLabel.clean(grid.columnLabels[$0]), to: max(width - 1, 8))
    }
    let widest = labels.map { ChartLabel.width($0) }.max() ?? 0
    var line = TextLine()
    // Every name, every second one and so on, depending on the room.
    for place in stride(from: 0, to: columns.count, by: max(1, (widest + width) / width)) {
      line.pad(to: start + place * width)
      if alignedRight {
        line.add(labels[place], .muted, endingAt: start + (place + 1) * width)
      } else {
        line.add(labels[place], .muted)
      }
    }
    return line
  }

  private func scale(_ grid: Grid) -> TextLine {
    guard let range = grid.valueRange else { return TextLine("All cells are empty.", .muted) }
    var line = TextLine("\(kind.shortText(min(0, range.lowerBound))) ", .muted)
    line.add(shades.map { $0 + $0 }.joined())
    line.add(" \(kind.shortText(range.upperBound)); blank: no data", .muted)
    return line
  }
}
