// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@Suite struct ATIdentifierTests {
  @Test(arguments: try SyntaxVector.valid("atidentifier")) func takesWhatKeepsTheRules(vector: SyntaxVector) {
    expectValid(
      ATIdentifier.self, vector.text,
      spelled: vector.text.hasPrefix("did:") ? vector.text : vector.text.lowercased())
  }

  @Test(arguments: try SyntaxVector.invalid("atidentifier")) func refusesWhatBreaksARule(vector: SyntaxVector)
  {
    expectInvalid(ATIdentifier.self, vector.text, at: vector.offset)
  }

  @Test(
    .enabled(if: Vectors.interop.areThere, "KITH_INTEROP names no folder"),
    arguments: try Vectors.interop.lines("syntax/atidentifier_syntax_valid.txt"))
  func takesTheProtocolsVectors(line: String) {
    expectValid(ATIdentifier.self, line, spelled: line.hasPrefix("did:") ? line : line.lowercased())
  }

  @Test(
    .enabled(if: Vectors.interop.areThere, "KITH_INTEROP names no folder"),
    arguments: try Vectors.interop.lines("syntax/atidentifier_syntax_invalid.txt"))
  func refusesTheProtocolsVectors(line: String) {
    expectInvalid(ATIdentifier.self, line)
  }

  @Test func distinguishesDIDsFromHandles() throws {
    #expect(try ATIdentifier(parsing: "did:web:a.test") == .did(DID(parsing: "did:web:a.test")))
    #expect(try ATIdentifier(parsing: "did.test") == .handle(Handle(parsing: "did.test")))
  }

  @Test(arguments: [("did:", "DID"), ("did:Web:a", "DID"), ("alice", "handle"), ("", "handle")])
  func saysWhatItWasReadAs(text: String, subject: String) {
    let error = #expect(throws: SyntaxError.self) { try ATIdentifier(parsing: text) }
    #expect(error?.subject == subject)
  }
}
