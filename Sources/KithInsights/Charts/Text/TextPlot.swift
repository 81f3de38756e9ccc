// SPDX-License-Identifier: Apache-2.0

/// Terminal cells for drawing lines: eight braille dots per cell, or one ASCII character.
struct TextPlot {
  let columns: Int
  let rows: Int
  private let usesDots: Bool
  private var cells: [(text: String, ink: Ink?)]
  private var dots: [UInt8]
  private var inks: [Ink?]

  init(columns: Int, rows: Int, usesDots: Bool) {
    self.columns = columns
    self.rows = rows
    self.usesDots = usesDots
    cells = Array(repeating: (" ", nil), count: columns * rows)
    dots = Array(repeating: 0, count: columns * rows)
    inks = Array(repeating: nil, count: columns * rows)
  }

  /// Points from left to right, starting at 0.
  var width: Int { usesDots ? columns * 2 : columns }
  /// Points from top to bottom, starting at 0.
  var height: Int { usesDots ? rows * 4 : rows }

  mutating func put(_ text: String, _ column: Int, _ row: Int, _ ink: Ink?) {
    guard (0..<columns).contains(column), (0..<rows).contains(row) else { return }
    cells[row * columns + column] = (text, ink)
  }

  /// Writes text over cells and dots. Characters that are two cells wide are replaced by `?`.
  mutating func write(_ text: String, _ column: Int, _ row: Int, _ ink: Ink?) {
    for (offset, character) in text.enumerated() {
      guard column + offset < columns, (0..<rows).contains(row) else { return }
      let place = row * columns + column + offset
      put(ChartLabel.width(character) == 1 ? String(character) : "?", column + offset, row, ink)
      dots[place] = 0
    }
  }

  /// Draws a straight line between two points.
  ///
  /// - Parameters:
  ///   - mark: the character in an ASCII plot.
  ///   - isDashed: whether to leave out every other piece; ASCII plots use a different mark instead.
  mutating func line(
    from start: (x: Int, y: Int), to end: (x: Int, y: Int), mark: String, _ ink: Ink, isDashed: Bool
  ) {
    let steps = max(abs(end.x - start.x), abs(end.y - start.y), 1)
    for step in 0...steps {
      let part = Double(step) / Double(steps)
      let x = start.x + Int((Double(end.x - start.x) * part).rounded())
      let y = start.y + Int((Double(end.y - start.y) * part).rounded())
      if isDashed, usesDots, x % 6 >= 3 { continue }
      plot(x, y, mark, ink)
    }
  }

  private mutating func plot(_ x: Int, _ y: Int, _ mark: String, _ ink: Ink) {
    guard (0..<width).contains(x), (0..<height).contains(y) else { return }
    guard usesDots else { return put(mark, x, y, ink) }
    // Bits of a braille character, by column and row of its dots.
    let bits: [[UInt8]] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]]
    let place = y / 4 * columns + x / 2
    dots[place] |= bits[x % 2][y % 4]
    inks[place] = ink
  }

  /// Adds a row of cells to a line of text.
  func add(row: Int, to line: inout TextLine) {
    var (run, ink) = ("", Ink?.none)
    for place in row * columns..<(row + 1) * columns {
      var cell = cells[place]
      if dots[place] != 0, let scalar = Unicode.Scalar(0x2800 + UInt32(dots[place])) {
        cell = (String(Character(scalar)), inks[place])
      }
      if cell.ink != ink, !run.isEmpty {
        line.add(run, ink)
        run = ""
      }
      ink = cell.ink
      run += cell.text
    }
    line.add(run, ink)
  }
}
