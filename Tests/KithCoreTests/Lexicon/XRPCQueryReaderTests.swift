// SPDX-License-Identifier: Apache-2.0

import KithCore
import Testing

@Suite struct XRPCQueryReaderTests {
  private let query = XRPCQueryReader([
    XRPCQueryItem("a", "1"), XRPCQueryItem("n", "ten"), XRPCQueryItem("a", "2"), XRPCQueryItem("actor", "-"),
    XRPCQueryItem("flag", "true"), XRPCQueryItem("q", ""),
  ])

  @Test func readsValuesByType() throws {
    #expect(try query.each("a") == [1, 2])
    #expect(try query.each("a") == ["1", "2"])
    #expect(try query.required("flag") == true)
    #expect(try query.optional("q") == "")
    #expect(try query.optional("absent") as DID? == nil)
    #expect(try query.each("absent") as [DID] == [])
  }

  @Test func refusesMissingRepeatedAndMalformedParameters() throws {
    #expect(throws: ValidationError(path: "", reason: "Params must have the property \"absent\"")) {
      try query.required("absent") as String
    }
    #expect(throws: ValidationError(path: "a", reason: "given 2 times, at most once allowed")) {
      try query.optional("a") as Int?
    }
    #expect(throws: ValidationError(path: "n", reason: "\"ten\" is not valid")) {
      try query.required("n") as Int
    }
    #expect(throws: ValidationError.self) { try query.optional("actor") as DID? }
  }
}
