// SPDX-License-Identifier: Apache-2.0

import KithOperations

/// A row of a table, for people.
struct TableRow: Sendable, Equatable {
  struct Cell: Sendable, Equatable {
    let text: String
    let colour: Palette.Colour?

    init(_ text: String, _ colour: Palette.Colour? = nil) {
      self.text = TerminalText.clean(text)
      self.colour = colour
    }
  }

  let cells: [Cell]
}
