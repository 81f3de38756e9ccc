// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KithOperations
@testable import kith

@Suite struct TableLayoutTests {
  private let palette = Palette(isTerminal: false, forbidden: true, environment: [:])

  private func lines(_ rows: [[String]], columns: Int?) -> [String] {
    let headings = ["ACCOUNT", "STATE", "WHAT"]
    let rows = rows.map { TableRow(cells: $0.map { TableRow.Cell($0) }) }
    let layout = TableLayout(headings: headings, rows: rows, least: [0, 0, 0], columns: columns)
    return ([layout.heading(palette)].compactMap(\.self)) + rows.flatMap { layout.lines($0, palette) }
  }

  @Test func omitsColumnsWithoutTextOnceAllRowsAreKnown() {
    let rows = [["bob.test", "", "x"], ["carol.test", "", "y"]].map {
      TableRow(cells: $0.map { TableRow.Cell($0) })
    }
    let layout = TableLayout(
      headings: ["ACCOUNT", "STATE", "WHAT"], rows: rows, least: [0, 0, 0], areAll: true, columns: 80)
    #expect(layout.heading(palette) == "ACCOUNT     WHAT")
    #expect(rows.flatMap { layout.lines($0, palette) } == ["bob.test    x", "carol.test  y"])
  }

  @Test func wrapsTheLastColumnBetweenWords() {
    #expect(
      lines([["bob.test", "refused", "they follow you; the block hides that"]], columns: 40) == [
        "ACCOUNT   STATE    WHAT",
        "bob.test  refused  they follow you; the",
        "                   block hides that",
      ])
  }

  @Test func cutsTheWidestColumnBeforeTheOthers() {
    let name = "a-very-long-handle-of-a-friend.example.test"
    #expect(
      lines([[name, "refused", ""], ["bob.test", "done", "x"]], columns: 50) == [
        "ACCOUNT                              STATE    WHAT", "\(name.prefix(34))…  refused",
        "bob.test                             done     x",
      ])
  }

  @Test func leavesAThirdOfTheLineToTheLastColumn() {
    let words = Array(repeating: "nine-cell", count: 7).joined(separator: " ")
    let name = String(repeating: "n", count: 50)
    let padding = String(repeating: " ", count: 36)
    // 43, 7 and 26 cells, and two between them.
    #expect(
      lines([[name, "refused", words]], columns: 80).prefix(2) == [
        "ACCOUNT\(padding)  STATE    WHAT", "\(name.prefix(42))…  refused  nine-cell nine-cell",
      ])
  }

  @Test func cutsNoColumnToFewerThanSixteenCells() {
    let name = String(repeating: "n", count: 30)
    let rows = [[name, "done", String(repeating: "y", count: 20)]]
    let padding = String(repeating: " ", count: 9)
    #expect(lines(rows, columns: 45).first == "ACCOUNT\(padding)  STATE  WHAT")
    #expect(lines(rows, columns: 45).last?.hasPrefix("\(name.prefix(15))…  done   y") == true)
    #expect(lines(rows, columns: 44).first == name)
  }

  /// At any width, with any text: no line is longer than the terminal, and no word of the last column is lost.
  @Test(arguments: [20, 33, 40, 80, 200])
  func fitsEveryTerminal(columns: Int) {
    let words = "ends tomorrow, 02:17; 12 of 900 failed; 朱迪 朱迪 朱迪"
    let rows = [
      ["user0538.test", "in doubt", words], ["did:plc:aaaaaaaaaaaaaaaaaaaaaaaa", "not found", ""],
      ["🦉🦉.test", "", "x"], [String(repeating: "朱", count: 40), "done", String(repeating: "y", count: 90)],
    ]
    let found = lines(rows, columns: columns)
    #expect(found.allSatisfy { TerminalText.width($0) <= columns })
    let text = found.joined(separator: " ")
    for word in words.split(separator: " ") { #expect(text.contains(word)) }
  }

  @Test func stacksCellsWhereColumnsWouldBeTooNarrow() {
    #expect(
      lines(
        [["did:plc:aaaaaaaaaaaaaaaaaaaaaaaa", "in doubt", "sent, no answer"], ["bob.test", "done", ""]],
        columns: 33)
        == [
          "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa", "  STATE  in doubt", "  WHAT   sent, no answer", "bob.test",
          "  STATE  done",
        ])
  }
}
