// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@Suite struct ATURITests {
  @Test(arguments: try SyntaxVector.valid("aturi")) func takesWhatKeepsTheRules(vector: SyntaxVector) {
    expectValid(ATURI.self, vector.text)
  }

  @Test(arguments: try SyntaxVector.invalid("aturi")) func refusesWhatBreaksARule(vector: SyntaxVector) {
    expectInvalid(ATURI.self, vector.text, at: vector.offset)
  }

  @Test(
    .enabled(if: Vectors.interop.areThere, "KITH_INTEROP names no folder"),
    arguments: try Vectors.interop.lines("syntax/aturi_syntax_valid.txt"))
  func takesTheProtocolsVectors(line: String) {
    expectValid(ATURI.self, line)
  }

  @Test(
    .enabled(if: Vectors.interop.areThere, "KITH_INTEROP names no folder"),
    arguments: try Vectors.interop.lines("syntax/aturi_syntax_invalid.txt"))
  func refusesTheProtocolsVectors(line: String) {
    expectInvalid(ATURI.self, line)
  }

  @Test(arguments: [
    ("", 0), ("http://alice.test", 0), ("AT://alice.test", 0), ("at://", 5), ("at://alice", 10),
    ("at://alice.test/", 16), ("at://alice.test//", 16), ("at://alice.test/com.example", 27),
    ("at://alice.test/a.b.c/", 22), ("at://alice.test/a.b.c/x/", 23), ("at://alice.test/a.b.c/x?y", 23),
    ("at://alice.test#f", 15), ("at://alice.test/a.b.c#f", 21), ("at://did:plc:a%/a.b.c/x", 14),
    ("at://alice.test/a.b.c/..", 22),
  ])
  func saysWhereItIsWrong(text: String, offset: Int) {
    expectInvalid(ATURI.self, text, at: offset)
  }

  @Test func namesItsParts() throws {
    let did = try DID(parsing: "did:plc:7iza6de2dwap2sbkpav7c6c6")
    let uri = try ATURI(parsing: "at://did:plc:7iza6de2dwap2sbkpav7c6c6/app.bsky.graph.follow/3jzfcijpj2z2a")
    #expect(uri.authority == .did(did))
    #expect(uri.collection == NSID("app.bsky.graph.follow"))
    #expect(uri.recordKey == RecordKey("3jzfcijpj2z2a"))
    let collection = try ATURI(parsing: "at://Alice.test/app.bsky.graph.follow")
    #expect(collection.authority == .handle(try Handle(parsing: "alice.test")))
    #expect(collection.collection == NSID("app.bsky.graph.follow"))
    #expect(collection.recordKey == nil)
    let repository = try ATURI(parsing: "at://did:web:a.test")
    #expect(repository.authority == .did(try DID(parsing: "did:web:a.test")))
    #expect(repository.collection == nil)
    #expect(repository.recordKey == nil)
  }

  @Test func isMadeOfItsParts() throws {
    let did = try DID(parsing: "did:plc:7iza6de2dwap2sbkpav7c6c6")
    let follow = try NSID(parsing: "app.bsky.graph.follow")
    let uri = ATURI(authority: .did(did), collection: follow, recordKey: .literalSelf)
    #expect(uri.description == "at://did:plc:7iza6de2dwap2sbkpav7c6c6/app.bsky.graph.follow/self")
    #expect(
      ATURI(authority: .did(did), collection: follow).description == "at://\(did)/app.bsky.graph.follow")
    #expect(ATURI(authority: .did(did)).description == "at://\(did)")
  }

  @Test func takesSixteenBytes() {
    #expect(MemoryLayout<ATURI?>.stride == 16)
  }
}
