// SPDX-License-Identifier: Apache-2.0

import KithCore
import Testing

@testable import KithSandbox

@Suite struct QueryStringTests {
  @Test func readsRepeatedAndEscapedParameters() throws {
    let items = try QueryString.items(of: "others=did%3Aplc%3Aa&q=two+words%2B&others=b&empty=&bare&&")
    #expect(
      items == [
        XRPCQueryItem("others", "did:plc:a"), XRPCQueryItem("q", "two words+"), XRPCQueryItem("others", "b"),
        XRPCQueryItem("empty", ""), XRPCQueryItem("bare", ""),
      ])
  }

  @Test(arguments: ["a=%", "a=%2", "a=%zz", "a=%2z", "%=a", "a=%ff", "a=%ed%a0%80"])
  func refusesBrokenEscapes(text: String) {
    #expect(throws: XRPCFault.self) { try QueryString.items(of: text) }
  }
}
