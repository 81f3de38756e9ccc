// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import kith

@Suite struct RowEncoderTests {
  private struct Row: PrintableRow {
    var text: String?
    var flag: Bool?
    var number: Int?
    var digits: String?

    static let fieldNames = ["text", "flag", "number", "a \"b\""]
    static let headings: [String] = []
    var tableRow: TableRow { TableRow(cells: []) }

    func write(to fields: inout RowEncoder) {
      fields.text(text)
      fields.flag(flag)
      fields.number(number)
      fields.number(digits: digits)
    }
  }

  private func lines(_ rows: [Row], _ style: RowEncoder.Style) -> [String] {
    var encoder = RowEncoder(Row.fieldNames, style: style)
    return rows.map { row in
      encoder.encode(row)
      return String(decoding: encoder.bytes, as: UTF8.self)
    }
  }

  @Test func aRowOfJSONHasEveryFieldInOrderAndNothingOfTheRowBefore() {
    let rows = [
      Row(text: "a longer text", flag: false, number: -7, digits: "0.250"), Row(text: "b", flag: true),
    ]
    #expect(
      lines(rows, .json) == [
        #"{"text":"a longer text","flag":false,"number":-7,"a \"b\"":0.250}"#,
        #"{"text":"b","flag":true,"number":null,"a \"b\"":null}"#,
      ])
  }

  @Test func aRowOfCSVHasAnEmptyCellForNull() {
    #expect(
      lines([Row(text: "x", flag: true, number: 1, digits: "2"), Row()], .csv(cleaned: false)) == [
        "x,true,1,2", ",,,",
      ])
  }

  @Test func csvForATerminalIsCleaned() {
    #expect(lines([Row(text: "\u{1B}[2J")], .csv(cleaned: true)) == ["\u{FFFD}[2J,,,"])
    #expect(lines([Row(text: "\u{1B}[2J")], .csv(cleaned: false)) == ["\u{1B}[2J,,,"])
  }

  @Test(arguments: [
    ("plain", "plain"), ("", ""), ("a,b", "\"a,b\""), ("say \"hi\"", "\"say \"\"hi\"\"\""),
    ("two\nlines", "\"two\nlines\""), ("a\rb", "\"a\rb\""), ("a;b", "a;b"), ("朱迪,", "\"朱迪,\""),
  ])
  func csvQuotesOnlyWhatNeedsIt(cell: String, quoted: String) {
    #expect(lines([Row(text: cell)], .csv(cleaned: false)) == [quoted + ",,,"])
  }
}
