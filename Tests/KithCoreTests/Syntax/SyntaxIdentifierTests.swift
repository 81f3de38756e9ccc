// SPDX-License-Identifier: Apache-2.0

import KithCore
import Testing

@Suite struct SyntaxIdentifierTests {
  @Test func isAPlainStringInJSON() throws {
    let json = Array(#"{"did":"did:web:a.test"}"#.utf8)
    let value = try JSONCoding.decode([String: DID].self, from: json)
    #expect(try value["did"] == DID(parsing: "did:web:a.test"))
    #expect(try JSONCoding.encode(value) == json)
  }

  @Test func refusesWithTheCodingPathAndTheReason() throws {
    let json = Array(#"{"dids":["did:web:a.test","did:web:"]}"#.utf8)
    let error = #expect(throws: DecodingError.self) {
      try JSONCoding.decode([String: [DID]].self, from: json)
    }
    guard case .dataCorrupted(let context) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(context.codingPath.map(\.stringValue).first == "dids")
    #expect(context.codingPath.last?.intValue == 1)
    let fault = #expect(throws: SyntaxError.self) { try DID(parsing: "did:web:") }
    #expect(context.debugDescription == fault?.description)
  }

  @Test func cutsLongTextsInErrors() {
    let error = #expect(throws: SyntaxError.self) {
      try DID(parsing: String(repeating: "x", count: 1_000_000))
    }
    #expect(error?.text == String(repeating: "x", count: 128) + "…")
  }
}
