// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KithClient

@Suite struct AuthorityTests {
  @Test(arguments: [
    ("a.test", "a.test", nil), ("A.Test:80", "a.test", "80"), ("a.test.", "a.test", nil),
    ("[::1]", "::1", nil), ("[::1]:8443", "::1", "8443"), ("127.0.0.1:1", "127.0.0.1", "1"),
    ("a.test:", "a.test", ""),
  ])
  func splitsHostAndPort(text: String, host: String, port: String?) throws {
    let authority = try #require(Authority(text))
    #expect(authority.host == host)
    #expect(authority.port == port)
  }

  @Test(arguments: [
    "", ":80", ".", "a b", "a@b", "a/b", "a?b", "a#b", "a\\b", "a%2eb", "a:b", "::1", "[::1", "::1]", "a:1:2",
    "[]", "a\n", "a[b]", "[::1]x",
  ])
  func rejectsWhatIsNotAHost(text: String) {
    #expect(Authority(text) == nil)
  }
}
