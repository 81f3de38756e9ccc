// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@Suite struct DIDTests {
  @Test(arguments: try SyntaxVector.valid("did")) func takesWhatKeepsTheRules(vector: SyntaxVector) {
    expectValid(DID.self, vector.text)
  }

  @Test(arguments: try SyntaxVector.invalid("did")) func refusesWhatBreaksARule(vector: SyntaxVector) {
    expectInvalid(DID.self, vector.text, at: vector.offset)
  }

  @Test(
    .enabled(if: Vectors.interop.areThere, "KITH_INTEROP names no folder"),
    arguments: try Vectors.interop.lines("syntax/did_syntax_valid.txt"))
  func takesTheProtocolsVectors(line: String) {
    expectValid(DID.self, line)
  }

  @Test(
    .enabled(if: Vectors.interop.areThere, "KITH_INTEROP names no folder"),
    arguments: try Vectors.interop.lines("syntax/did_syntax_invalid.txt"))
  func refusesTheProtocolsVectors(line: String) {
    expectInvalid(DID.self, line)
  }

  @Test(arguments: [
    ("", 0), ("did", 0), ("DID:plc:abc", 0), ("did:", 4), ("did:plc", 7), ("did::abc", 4), ("did:p1c:abc", 5),
    ("did:plc:", 8), ("did:plc:ab:", 10), ("did:plc:ab%", 10), ("did:plc:a b", 9), ("did:plc:é", 8),
    ("did:plc:7iza6de2dwap2sbkpav7c6c6\n", 32),
  ])
  func saysWhereItIsWrong(text: String, offset: Int) {
    expectInvalid(DID.self, text, at: offset)
  }

  @Test func acceptsAtMost2048Bytes() {
    let most = "did:web:" + String(repeating: "a", count: 2_040)
    expectValid(DID.self, most)
    expectInvalid(DID.self, most + "a", at: 2_048)
  }

  @Test(arguments: [
    "did:plc:7iza6de2dwap2sbkpav7c6c6", "did:plc:222222222222222222222222",
    "did:plc:zzzzzzzzzzzzzzzzzzzzzzzz",
    "did:plc:7iza6de2dwap2sbkpav7c6c", "did:plc:7iza6de2dwap2sbkpav7c6c61",
    "did:plc:7IZA6DE2DWAP2SBKPAV7C6C6",
    "did:plc:0iza6de2dwap2sbkpav7c6c6", "did:plc:7iza6de2dwap2sbkpav7c6c8",
    "did:plc:7iza6de2dwap:sbkpav7c6c6",
    "did:web:localhost%3A1234",
  ])
  func spellsEveryDIDAsItWas(text: String) {
    expectValid(DID.self, text)
    expectValid(DID.self, "x\(text)".dropFirst().description)
  }

  @Test(arguments: [
    ("did:plc:7iza6de2dwap2sbkpav7c6c6", 16), ("did:plc:222222222222222222222222", 16),
    ("did:plc:zzzzzzzzzzzzzzzzzzzzzzzz", 16), ("did:plc:7iza6de2dwap2sbkpav7c6c8", 32),
    ("did:web:abc.comm", 16),
  ])
  func packsAPLCInto16Bytes(text: String, count: Int) throws {
    let packed = try DID(parsing: text).packed
    #expect(packed.count == count)
    #expect(DID(packed: packed)?.description == text)
  }

  @Test func unpacksOnlyWhatItPacks() {
    for bytes: [UInt8] in [[], [1], Array(repeating: 1, count: 15), Array("did:plc".utf8)] {
      #expect(DID(packed: bytes) == nil)
    }
  }

  @Test func readsASliceOfALongerText() throws {
    let line = "at://did:plc:7iza6de2dwap2sbkpav7c6c6/rest"
    #expect(
      try DID(parsing: line.dropFirst(5).prefix(32)) == DID(parsing: "did:plc:7iza6de2dwap2sbkpav7c6c6"))
  }

  @Test func distinguishesDIDsThatDifferInOneDigit() throws {
    let digits = Array("7iza6de2dwap2sbkpav7c6c6")
    var all: Set<DID> = []
    for position in digits.indices {
      for digit in "234567abcdefghijklmnopqrstuvwxyz" {
        var changed = digits
        changed[position] = digit
        all.insert(try DID(parsing: "did:plc:" + String(changed)))
      }
    }
    #expect(all.count == 24 * 31 + 1)
  }

  @Test func namesTheMethod() throws {
    #expect(try DID(parsing: "did:plc:7iza6de2dwap2sbkpav7c6c6").method == "plc")
    #expect(try DID(parsing: "did:plc:short").method == "plc")
    #expect(try DID(parsing: "did:web:example.com").method == "web")
  }

  @Test func sortsAsTheTextsDo() throws {
    let texts = [
      "did:example:a", "did:pla:x", "did:plc:222222222222222222222222", "did:plc:7iza6de2dwap2sbkpav7c6c6",
      "did:plc:7iza6de2dwap2sbkpav7c6ca",
      "did:plc:8", "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa", "did:plc:b222222222222222222222222",
      "did:plca:x", "did:web:example.com",
    ]
    #expect(try texts.reversed().map { try DID(parsing: $0) }.sorted().map(\.description) == texts)
  }

  @Test func takesSixteenBytes() {
    #expect(MemoryLayout<DID>.stride == 16)
    #expect(MemoryLayout<DID?>.stride == 16)
  }

  /// A set has 3/4 element per bucket and one bit for each bucket.
  @Test func aMillionFitInASetOf40Megabytes() {
    let set = Set<DID>(minimumCapacity: 1_000_000)
    let buckets = (set.capacity * 4 + 2) / 3
    #expect(set.capacity >= 1_000_000)
    #expect(buckets * MemoryLayout<DID>.stride + buckets / 8 < 40_000_000)
  }
}
