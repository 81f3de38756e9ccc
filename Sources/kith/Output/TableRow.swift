// SPDX-License-Identifier: Apache-2.0

import KithOperations

/// A row of a table, for people.
struct TableRow: Sendable, Equatable {
  struct Cell: Sendable, Equatable {
    let text: String
    let colour: Palette.Colour?
    /// Whether it is not cut, because people copy it; a column that strangers can make wide does not get more room
    /// than ``mostWhole``.
    let isWhole: Bool

    /// The longest text that is not cut.
    static let mostWhole = 44
    /// The longest address of a post that is not cut: with a DID it has 76 characters.
    static let mostOfAddress = 80

    /// - Parameter most: the longest text that is whole.
    init(
      _ text: String, _ colour: Palette.Colour? = nil, whole isWhole: Bool = false, upTo most: Int = mostWhole
    ) {
      self.text = TerminalText.clean(text)
      self.colour = colour
      self.isWhole = isWhole && TerminalText.width(self.text) <= most
    }
  }

  let cells: [Cell]
  /// The heading of the first column if all rows are of this kind; nil for that of the type of row.
  var firstHeading: String?
  /// What a row that is a paragraph says below its cells, each on lines of its own.
  var body: [Cell] = []
  /// How far a paragraph is to the right.
  var indent = 0
}
