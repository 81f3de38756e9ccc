// SPDX-License-Identifier: Apache-2.0

import KithCore
import Testing

@testable import KithOperations
@testable import kith

@Suite struct RowPrinterTests {
  private struct Pair: PrintableRow {
    let name: String
    let note: String?

    static let fieldNames = ["name", "note"]
    static let headings = ["NAME", "NOTE"]
    func write(to fields: inout RowEncoder) {
      fields.text(name)
      fields.text(note)
    }
    func tableRow(at now: Datetime) -> TableRow {
      TableRow(cells: [TableRow.Cell(name), TableRow.Cell(note ?? "none", .faint)])
    }
  }

  private static let rows = [Pair(name: "朱迪", note: "a,b"), Pair(name: "bob\u{1B}", note: nil)]

  private func printed(_ rows: [Pair], _ format: OutputFormat, colours: Bool = false) throws -> String {
    let capture = Capture()
    let palette = Palette(isTerminal: colours, forbidden: false, environment: [:])
    var printer = RowPrinter<Pair>(
      format: format, palette: palette, output: LineOutput(to: capture.descriptor))
    for row in rows { try printer.print(row) }
    try printer.finish()
    return try capture.text()
  }

  @Test func ndjsonIsOneObjectALine() throws {
    let text = "{\"name\":\"朱迪\",\"note\":\"a,b\"}\n{\"name\":\"bob\\u001b\",\"note\":null}\n"
    #expect(try printed(Self.rows, .ndjson) == text)
  }

  @Test func jsonIsOneArray() throws {
    let text = "[{\"name\":\"朱迪\",\"note\":\"a,b\"},\n{\"name\":\"bob\\u001b\",\"note\":null}]\n"
    #expect(try printed(Self.rows, .json) == text)
  }

  @Test func csvHasAHeaderAndAnEmptyCellForNull() throws {
    #expect(try printed(Self.rows, .csv) == "name,note\n朱迪,\"a,b\"\nbob\u{FFFD},\n")
  }

  @Test func tableIsAlignedByCellsAndCleaned() throws {
    #expect(try printed(Self.rows, .table) == "NAME  NOTE\n朱迪  a,b\nbob\u{FFFD}  none\n")
  }

  @Test func coloursDoNotDisturbTheAlignment() throws {
    let text = try printed([Pair(name: "x", note: "y")], .table, colours: true)
    #expect(text == "\u{1B}[2mNAME\u{1B}[0m  \u{1B}[2mNOTE\u{1B}[0m\nx     \u{1B}[2my\u{1B}[0m\n")
  }

  @Test func linesHaveNoTrailingSpaces() throws {
    #expect(
      try printed([Pair(name: "longer", note: ""), Pair(name: "x", note: "y")], .table)
        == "NAME    NOTE\nlonger\nx       y\n")
  }

  @Test(arguments: [(OutputFormat.ndjson, ""), (.json, "[]\n"), (.csv, "name,note\n"), (.table, "")])
  func noRowsAreStillValidOutput(format: OutputFormat, text: String) throws {
    #expect(try printed([], format) == text)
  }

  @Test func wideCellsAreTruncatedExceptTheLast() throws {
    let long = String(repeating: "n", count: 80)
    let lines = try printed([Pair(name: long, note: long)], .table).split(separator: "\n")
    #expect(lines[1] == String(repeating: "n", count: 59) + "…  " + long)
  }

  @Test(arguments: [(3, 0), (20, 21), (40, 41)])
  func aTableAppearsWhenItsWidthsAreKnown(rows: Int, lines: Int) throws {
    let capture = Capture()
    let palette = Palette(isTerminal: false, forbidden: false, environment: [:])
    var printer = RowPrinter<Pair>(
      format: .table, palette: palette, output: LineOutput(to: capture.descriptor))
    for number in 0..<rows { try printer.print(Pair(name: "n\(number)", note: nil)) }
    try printer.flush()
    #expect(try capture.text().split(separator: "\n").count == lines)
  }

  @Test func aTableOfManyRowsKeepsTheWidthsOfItsFirstOnes() throws {
    let names =
      (0..<201).map { "n\($0)" } + [String(repeating: "d", count: 32), String(repeating: "e", count: 33)]
    let lines = try printed(names.map { Pair(name: $0, note: nil) }, .table).split(separator: "\n")
    #expect(lines.count == 204)
    // The first column always has room for a DID.
    #expect(lines[200] == "n199\(String(repeating: " ", count: 28))  none")
    #expect(lines[202] == "\(names[201])  none")
    #expect(lines[203] == "\(String(repeating: "e", count: 31))…  none")
  }

  @Test func aWriteErrorIsAFileErrorAndNotRetried() throws {
    var output = LineOutput(to: OutputDescriptor(number: -1, name: "stdout"))
    try output.line("text".utf8)
    #expect(throws: CommandFault(.fileTrouble, .systemError("stdout", "Bad file descriptor"))) {
      try output.flush()
    }
    try output.flush()
  }

  @Test func linesAreWrittenInAtomicPipePieces() throws {
    let capture = Capture()
    var output = LineOutput(to: capture.descriptor)
    let line = String(repeating: "x", count: 999)
    for _ in 0..<5 { try output.line(line.utf8) }
    // Four lines fit into a piece of 4,096 bytes; the fifth is held back.
    #expect(try capture.text() == String(repeating: line + "\n", count: 4))
  }
}

extension RowPrinterTests {
  private struct Wide: PrintableRow {
    static let fieldNames = ["did", "name", "note", "count"]
    static let headings = ["NAME"]
    let note: String?

    func write(to fields: inout RowEncoder) {
      fields.text("did:plc:a")
      fields.text("a,\"b\"")
      fields.text(note)
      fields.number(7)
    }
    func tableRow(at now: Datetime) -> TableRow { TableRow(cells: []) }
  }

  @Test(arguments: [
    (
      OutputFormat.ndjson, [3, 0],
      "{\"count\":7,\"did\":\"did:plc:a\"}\n{\"count\":7,\"did\":\"did:plc:a\"}\n"
    ),
    (
      .ndjson, [2, 1], "{\"note\":null,\"name\":\"a,\\\"b\\\"\"}\n{\"note\":\"x\",\"name\":\"a,\\\"b\\\"\"}\n"
    ),
    (.json, [2], "[{\"note\":null},\n{\"note\":\"x\"}]\n"),
    (.csv, [2, 1, 0], "note,name,did\n,\"a,\"\"b\"\"\",did:plc:a\nx,\"a,\"\"b\"\"\",did:plc:a\n"),
    (.csv, [1, 2], "name,note\n\"a,\"\"b\"\"\",\n\"a,\"\"b\"\"\",x\n"),
    (.csv, [3, 3], "count,count\n7,7\n7,7\n"),
  ])
  func selectedFieldsComeInTheirOrder(format: OutputFormat, fields: [Int], text: String) throws {
    let capture = Capture()
    var printer = RowPrinter<Wide>(
      format: format, palette: Palette(isTerminal: false, forbidden: true, environment: [:]), fields: fields,
      output: LineOutput(to: capture.descriptor))
    for note in [nil, "x"] { try printer.print(Wide(note: note)) }
    try printer.finish()
    #expect(try capture.text() == text)
  }
}
