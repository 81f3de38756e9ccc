// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import KithURLSessionTransport
import TestSupport
import Testing

/// The sentences that this module adds to transport errors, in `errors.txt` (`make wording` writes it).
/// Those of `URLSession` itself are left out.
@Suite struct ErrorCatalogueTests {
  @Test func holdsEverySentence() async throws {
    var catalogue = WordingCatalogue(beside: #filePath)
    for (authority, body) in [("a.test", [UInt8]()), ("a{b", nil)] {
      let head = HTTPRequest(method: .get, scheme: "https", authority: authority, path: "/")
      let error = await #expect(throws: TransportError.self) {
        try await URLSessionTransport().send(TransportRequest(head: head, body: body))
      }
      if let error { catalogue.add("transport.\(error.code)", error) }
    }
    #expect(try catalogue.differences() == [])
    let literals = try SourceLiterals(of: "KithURLSessionTransport", after: ["detail:"])
    #expect(literals.all.count > 2)
    // A session that ends a task without a response.
    #expect(catalogue.lacks(literals) == ["it has no head"])
  }
}
