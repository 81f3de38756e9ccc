// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KithOperations

/// All records of a text received in two pieces.
func records(
  of bytes: [UInt8], cutAt cut: Int, _ reader: some TextRecordReader
) throws -> [TextRecord] {
  var reader = reader
  return try reader.received(Array(bytes[..<cut])) + reader.received(Array(bytes[cut...])) + reader.ended()
}

@Suite struct LineReaderTests {
  private func lines(_ text: String) throws -> [TextRecord] {
    try records(of: Array(text.utf8), cutAt: 0, LineReader())
  }

  @Test func linesHaveNumbersAndBlankLinesAreSkipped() throws {
    #expect(
      try lines("alice.test\n\n  \t\nbob.test \t\r\n@carol.test") == [
        TextRecord(text: "alice.test", line: 1), TextRecord(text: "bob.test", line: 4),
        TextRecord(text: "@carol.test", line: 5),
      ])
  }

  @Test func aByteOrderMarkIsDroppedAtTheStartOnly() throws {
    #expect(try lines("\u{FEFF}alice.test\n").map(\.text) == ["alice.test"])
    #expect(try lines("a\n\u{FEFF}b\n").map(\.text) == ["a", "\u{FEFF}b"])
  }

  @Test func emptyInputGivesNoRecords() throws {
    #expect(try lines("").isEmpty)
    #expect(try lines("\u{FEFF}\n\r\n").isEmpty)
  }

  @Test func aHugeLineIsTruncatedAndTheNextIsComplete() throws {
    let found = try lines(String(repeating: "x", count: 1_000_000) + "\nbob.test\n")
    #expect(found.map(\.line) == [1, 2])
    #expect(found[0].text.count == LineReader.longestLine)
    #expect(found[1].text == "bob.test")
  }

  @Test func invalidUTF8IsReplaced() throws {
    let found = try records(of: [0x61, 0xFF, 0x62, 0x0A], cutAt: 2, LineReader())
    #expect(found == [TextRecord(text: "a\u{FFFD}b", line: 1)])
  }

  @Test func anySplitIntoPiecesGivesTheSameRecords() throws {
    let bytes = Array("\u{FEFF}alice.test\r\n\r\n@bøb.test\n朱迪.test".utf8)
    let whole = try records(of: bytes, cutAt: 0, LineReader())
    #expect(whole.count == 3)
    for cut in 0...bytes.count { #expect(try records(of: bytes, cutAt: cut, LineReader()) == whole) }
  }
}
