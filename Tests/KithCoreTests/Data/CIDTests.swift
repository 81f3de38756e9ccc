// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@Suite struct CIDTests {
  @Test(arguments: try SyntaxVector.valid("cid")) func takesWhatKeepsTheRules(vector: SyntaxVector) {
    expectValid(CID.self, vector.text)
  }

  @Test(arguments: try SyntaxVector.invalid("cid")) func refusesWhatBreaksARule(vector: SyntaxVector) {
    expectInvalid(CID.self, vector.text, at: vector.offset)
  }

  @Test(
    .enabled(if: Vectors.interop.areThere, "KITH_INTEROP names no folder"),
    arguments: try Vectors.interop.lines("syntax/cid_syntax_valid.txt"))
  func takesTheProtocolsVectors(line: String) {
    expectValid(CID.self, line)
  }

  @Test(
    .enabled(if: Vectors.interop.areThere, "KITH_INTEROP names no folder"),
    arguments: try Vectors.interop.lines("syntax/cid_syntax_invalid.txt"))
  func refusesTheProtocolsVectors(line: String) {
    expectInvalid(CID.self, line)
  }

  private static let record = "bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a"

  @Test(arguments: [
    ("", 0), ("12345", 5), ("b.", 1), ("bafy reid", 4), ("bafyreidA", 8), ("example.com", 7),
    (" \(record)", 0),
    ("QmbWqxBEKC3P8tqsKc98xmWNzrzDtRLMiMPL8wBuTGsMnR", 0), ("b", 1), ("ba", 1), ("baeaq", 4),
    ("\(record)a", 59), ("\(record.dropLast())b", 58), ("bafyreidfayvfuwqa", 7),
  ])
  func saysWhereItIsWrong(text: String, offset: Int) {
    expectInvalid(CID.self, text, at: offset)
  }

  @Test func acceptsAtMost256Bytes() {
    let most = "z" + String(repeating: "a", count: 255)
    expectValid(CID.self, most)
    expectInvalid(CID.self, most + "a", at: 256)
  }

  @Test func hasABinaryForm() throws {
    let cid = try CID(parsing: Self.record)
    let bytes = try #require(cid.bytes)
    #expect(bytes.count == 36)
    #expect(bytes.prefix(8) == [1, 0x71, 0x12, 0x20, 0x65, 0x06, 0x2A, 0x5A])
    #expect(try CID(bytes: bytes) == cid)
    #expect(try CID(bytes: bytes).description == Self.record)
  }

  @Test(
    arguments: [
      [1, 0x55, 0x00, 0x00], [1, 0x55, 0x00, 0x03, 1, 2, 3], [1, 0x85, 0x24, 0x12, 0x01, 0xFF],
      [1, 0x71, 0x13, 0x40] + [UInt8](repeating: 7, count: 64),
      [1, 0x80, 0x01, 0x12, 0x20] + [UInt8](0..<32),
    ] as [[UInt8]])
  func keepsOtherCodecsAndHashes(bytes: [UInt8]) throws {
    let cid = try CID(bytes: bytes)
    #expect(cid.bytes == bytes)
    expectValid(CID.self, cid.description)
    #expect(try CID(parsing: cid.description) == cid)
  }

  @Test(
    arguments: [
      ([], 0), ([0x12, 0x20], 0), ([1], 1), ([1, 0x71, 0x12], 3), ([1, 0x71, 0x12, 0x20, 0], 4),
      ([1, 0x71, 0x12, 0x01, 0, 0], 4), ([1, 0xF1, 0x00, 0x12, 0], 2),
      ([1] + [UInt8](repeating: 0xFF, count: 9), 1),
    ] as [([UInt8], Int)])
  func refusesBrokenBinaryForms(bytes: [UInt8], offset: Int) {
    let error = #expect(throws: SyntaxError.self) { try CID(bytes: bytes) }
    #expect(error?.offset == offset)
  }

  @Test func hasNoBinaryFormInOtherBases() throws {
    #expect(try CID(parsing: "zdj7WWeQ43G6JJvLWQWZpyHuAMq6uYWRjkBXFad11vE2LHhQ7").bytes == nil)
  }

  @Test func distinguishesCodecsAndDigests() throws {
    var all: Set<CID> = []
    for position in 1..<36 where position != 2 && position != 3 {
      var bytes = try #require(try CID(parsing: Self.record).bytes)
      bytes[position] ^= 1
      all.insert(try CID(bytes: bytes))
    }
    #expect(all.count == 33)
    #expect(!all.contains(try CID(parsing: Self.record)))
  }

  @Test func takesFortyBytes() {
    #expect(MemoryLayout<CID>.stride == 40)
    #expect(MemoryLayout<CID?>.stride == 40)
  }
}
