// SPDX-License-Identifier: Apache-2.0

import KithCore
import Testing

@testable import KithSandbox

@Suite struct SandboxQueryTests {
  @Test func readsRepeatedAndEscapedParameters() throws {
    let query = try SandboxQuery(percentEncoded: "others=did%3Aplc%3Aa&q=two+words%2B&others=b&empty=&bare&&")
    #expect(query.values("others") == ["did:plc:a", "b"])
    #expect(try query.required("q") == "two words+")
    #expect(try query.optional("empty")?.isEmpty == true)
    #expect(try query.optional("bare")?.isEmpty == true)
    #expect(try query.optional("absent") == nil)
  }

  @Test(arguments: ["a=%", "a=%2", "a=%zz", "a=%2z", "%=a", "a=%ff", "a=%ed%a0%80"])
  func refusesBrokenEscapes(text: String) {
    #expect(throws: XRPCFault.self) { try SandboxQuery(percentEncoded: text) }
  }

  @Test func refusesMissingRepeatedAndMistypedParameters() throws {
    let query = try SandboxQuery(percentEncoded: "a=1&a=2&n=ten&actor=-")
    #expect(throws: XRPCFault.invalidRequest("Params must have the property \"absent\"")) {
      try query.required("absent")
    }
    #expect(throws: XRPCFault.self) { try query.optional("a") }
    #expect(throws: XRPCFault.self) { try query.integer("n") }
    #expect(throws: XRPCFault.self) { try query.identifier("actor") as DID }
  }
}
