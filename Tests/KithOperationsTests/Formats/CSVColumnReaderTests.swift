// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KithOperations

@Suite struct CSVColumnReaderTests {
  private func column(_ name: String, of text: String) throws -> [TextRecord] {
    try records(of: Array(text.utf8), cutAt: 0, CSVColumnReader(column: name, file: "f.csv"))
  }

  @Test func readsEscapedFormulaCells() throws {
    let records = try column("handle", of: "handle\n'@bob.test\n'bob.test\n\"'=a,b\"\n")
    #expect(records.map(\.text) == ["@bob.test", "'bob.test", "=a,b"])
  }

  @Test func readsTheNamedColumnWithLineNumbers() throws {
    #expect(
      try column("handle", of: "name,handle\nAlice,alice.test\nBob,bob.test\n") == [
        TextRecord(text: "alice.test", line: 2), TextRecord(text: "bob.test", line: 3),
      ])
  }

  @Test func quotesMayHoldSeparatorsQuotesAndLineBreaks() throws {
    let text = "name,handle\n\"Alice, \"\"Al\"\"\nof here\",\"alice.test\"\nBob,\"b\"\"ob.test\"\n"
    #expect(
      try column("handle", of: text) == [
        TextRecord(text: "alice.test", line: 2), TextRecord(text: "b\"ob.test", line: 4),
      ])
  }

  @Test(arguments: [
    "Name;Handle\nAlice;alice.test\n", "Name\tHandle\nAlice\talice.test\n",
    "Name,Handle\r\nAlice,alice.test\r\n",
    "\u{FEFF}name,handle\nAlice,alice.test", "name, \"handle\" ,x\nAlice, alice.test ,x\n",
    "handle\nalice.test\n",
    "\"name, full\",handle\nAlice,alice.test\n", "\"a;b,c\";handle\nAlice;alice.test\n",
    "\"name\nof two lines\",handle\nAlice,alice.test\n", "\"the \"\"name\"\"\",HANDLE\nAlice,alice.test\n",
  ])
  func headersComeInManyForms(text: String) throws {
    #expect(try column(" handle ", of: text).map(\.text) == ["alice.test"])
  }

  @Test func skipsEmptyRows() throws {
    #expect(try column("handle", of: "name,handle\n\n,\n \t,\r\n\"\",\"\"\nBob,bob.test").map(\.line) == [6])
  }

  /// Missing cells are not skipped, so their line can be reported.
  @Test func shortRowsAndEmptyCellsAreEmptyEntries() throws {
    #expect(
      try column("handle", of: "name,handle\nAlice\nBob,\"\"\nCarol, \n") == [
        TextRecord(text: "", line: 2), TextRecord(text: "", line: 3), TextRecord(text: "", line: 4),
      ])
  }

  @Test func aNumberIsAColumnUnlessTheFirstLineNamesAnAccount() throws {
    #expect(try column("2", of: "note,who\nx,alice.test\n").map(\.text) == ["alice.test"])
    #expect(throws: OperationError.noHeaderLine("bob.test", file: "f.csv")) {
      try column("1", of: "bob.test,x\nalice.test,y\n")
    }
    for name in ["0", "3", "-9223372036854775808"] {
      #expect(throws: OperationError.noColumn(name, file: "f.csv", columns: ["note", "who"])) {
        try column(name, of: "note,who\nx,alice.test\n")
      }
    }
  }

  @Test func aMissingColumnIsReportedWithTheExistingOnes() {
    #expect(throws: OperationError.noColumn("did", file: "f.csv", columns: ["name", "handle"])) {
      try column("did", of: "name,handle\nAlice,alice.test\n")
    }
    #expect(throws: OperationError.noColumn("did", file: "f.csv", columns: [""])) {
      try column("did", of: "")
    }
  }

  @Test func anUnclosedQuoteIsReportedWithItsLine() {
    #expect(throws: OperationError.unclosedQuote(file: "f.csv", line: 3)) {
      try column("handle", of: "name,handle\nAlice,alice.test\n\"Bob,bob.test\nCarol,carol.test\n")
    }
  }

  @Test func anySplitIntoPiecesGivesTheSameRecords() throws {
    let bytes = Array(
      "\u{FEFF}\"na\"\"me\",handle\r\n\"A,\r\n\"\"x\"\"\",\"alice.test\"\r\nBøb,bob.test\r\n,\"\"\"\"".utf8)
    let reader = CSVColumnReader(column: "handle", file: "f.csv")
    let whole = try records(of: bytes, cutAt: 0, reader)
    #expect(whole.map(\.text) == ["alice.test", "bob.test", "\""])
    #expect(whole.map(\.line) == [2, 4, 5])
    for cut in 0...bytes.count { #expect(try records(of: bytes, cutAt: cut, reader) == whole) }
  }
}
