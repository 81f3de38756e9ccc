// SPDX-License-Identifier: Apache-2.0

/// Where a drawing shows the rows of its chart's table, of which a page has ``ChartTable/mostHTMLRows``.
struct DrawnRows {
  struct Place {
    let x: Double
    /// Nil for a row that is not at one height.
    var y: Double?
  }

  /// In the order of the table; nil for a row that is not drawn.
  let places: [Place?]
  /// Whether the rows lie beside each other, not one below the other.
  var areAcross = false
  /// The centres of the columns after the first, if each cell of the table has a place of its own.
  var columns: [Double] = []

  /// `data-rows="12,40 19,38 - 30" data-across=""`, in whole pixels.
  var attributes: String {
    let rows = places.map { place in
      guard let place else { return "-" }
      return Self.text(place.x) + (place.y.map { ",\(Self.text($0))" } ?? "")
    }
    let columns =
      columns.isEmpty ? "" : " data-columns=\"\(columns.map(Self.text).joined(separator: " "))\""
    return " data-rows=\"\(rows.joined(separator: " "))\"\(areAcross ? " data-across=\"\"" : "")\(columns)"
  }

  private static func text(_ pixels: Double) -> String { SVGCanvas.number(pixels.rounded()) }
}
