// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

@testable import KithClient

@Suite struct QueryStringTests {
  @Test func isEmptyWithoutItems() {
    #expect(QueryString.encode([]).isEmpty)
  }

  @Test func repeatsANameForEachValue() {
    let items = [XRPCQueryItem("others", "did:web:a.test"), XRPCQueryItem("others", "did:web:b.test")]
    #expect(QueryString.encode(items) == "others=did:web:a.test&others=did:web:b.test")
  }

  @Test(arguments: [
    ("a b", "a%20b"), ("a+b", "a%2Bb"), ("a&b=c", "a%26b%3Dc"), ("100%", "100%25"), ("#?", "%23%3F"),
    ("ü", "%C3%BC"), ("👩‍👧", "%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7"), ("\r\n\0", "%0D%0A%00"), ("", ""),
    ("at://did:plc:a/app.bsky.graph.list/3k", "at://did:plc:a/app.bsky.graph.list/3k"),
    ("a~b-c.d_e", "a~b-c.d_e"),
  ]) func encodesWhatAQueryMayNotHold(value: String, encoded: String) {
    #expect(QueryString.encode([XRPCQueryItem("q", value)]) == "q=\(encoded)")
  }

  @Test func isReadBackByFoundation() {
    var generator = SeededGenerator(seed: 20)
    let alphabet = Array("ab &=+%#?/:;@é日👍🏽\u{301}\"'<>\\\t\n")
    for _ in 0..<500 {
      let values = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
        String(
          (0..<Int.random(in: 0...12, using: &generator)).compactMap { _ in
            alphabet.randomElement(using: &generator)
          })
      }
      let query = QueryString.encode(values.map { XRPCQueryItem("v", $0) })
      var components = URLComponents()
      components.percentEncodedQuery = query
      #expect(components.queryItems?.map(\.value) == values)
    }
  }
}
