// SPDX-License-Identifier: Apache-2.0

import KithClient
import Testing

@Suite struct ServiceURLTests {
  @Test(arguments: [
    ("https://public.api.bsky.app", "https://public.api.bsky.app"),
    ("HTTPS://Public.API.bsky.app/", "https://public.api.bsky.app"),
    ("https://h.test:443", "https://h.test"),
    ("http://h.test:80///", "http://h.test"),
    ("http://h.test:443", "http://h.test:443"),
    ("https://h.test:08443", "https://h.test:8443"),
    ("https://h.test/base/path/", "https://h.test/base/path"),
    ("http://127.0.0.1:2583", "http://127.0.0.1:2583"),
    ("http://[::1]:2583", "http://[::1]:2583"),
    ("https://[2001:DB8::1]/", "https://[2001:db8::1]"),
    ("https://under_score.test", "https://under_score.test"),
    ("https://h.test/Case/Kept", "https://h.test/Case/Kept"),
    ("https://h.test/@alice", "https://h.test/@alice"),
  ]) func readsAndNormalises(text: String, spelling: String) throws {
    let url = try ServiceURL(parsing: text)
    #expect(url.description == spelling)
    #expect(try ServiceURL(parsing: url.description) == url)
  }

  @Test(arguments: [
    "", "bsky.app", "//bsky.app", "://bsky.app", "ftp://bsky.app", "javascript://bsky.app",
    " https://bsky.app",
    "https://", "https:///path", "https://:443", "https://h.test:", "https://h.test:0",
    "https://h.test:65536",
    "https://h.test:4 3", "https://h.test:+80", "https://h.test:-1", "https://h.test:٨٠",
    "https://h.test:80:90",
    "https://alice:secret@h.test", "https://alice@h.test", "https://h.test?q=1", "https://h.test/#f",
    "https://h.test/a b", "https://h.test/a\r\nX: y", "https://h.test/\u{7f}", "https://h.test/ü",
    "https://h .test", "https://h\u{0}.test", "https://ünder.test", "https://h.test\\evil.test",
    "https://h.test%2f", "https://[::1", "https://::1", "https://[]", "https://[gg::1]", "https://[::1]x",
    "https://[::1]:", "https://[fe80::1%25eth0]", "https://[.]", "https://[abc]", "https://.", "https://..",
    "https://h..test", "https://.test",
    "https://h.test/\u{301}", "https:/\u{301}/h.test",
  ]) func refuses(text: String) {
    #expect(throws: ServiceURL.Fault.self) { try ServiceURL(parsing: text) }
    #expect(ServiceURL(text) == nil)
  }

  @Test func knowsItsParts() throws {
    let url = try ServiceURL(parsing: "http://[::1]:2583/base")
    #expect(url.scheme == "http")
    #expect(url.host == "[::1]")
    #expect(url.port == 2583)
    #expect(url.path == "/base")
    #expect(url.authority == "[::1]:2583")
    #expect(url.origin == "http://[::1]:2583")
  }

  @Test func namesTheTextAndTheReason() {
    #expect {
      try ServiceURL(parsing: "gopher://h.test")
    } throws: { error in
      "\(error)".contains("gopher://h.test") && "\(error)".contains("neither https nor http")
    }
  }

  @Test func neverRepeatsAPassword() {
    #expect {
      try ServiceURL(parsing: "https://alice:hunter2@h.test/path")
    } throws: { error in
      !"\(error)".contains("hunter2") && "\(error)".contains("h.test")
    }
  }

  @Test func cutsAnEndlessText() {
    for unit in ["a", "\u{301}"] {
      let text = "https://" + String(repeating: unit, count: 1_000_000)
      #expect {
        try ServiceURL(parsing: text)
      } throws: { "\($0)".utf8.count < 512 }
    }
  }

  @Test(arguments: [
    ("https://a.example", true), ("http://a.example", false), ("http://127.0.0.1:8700", true),
    ("http://127.8.9.1", true), ("http://localhost", true), ("http://a.localhost", true),
    ("http://[::1]:1", true),
    ("http://127.0.0.1.example", false), ("http://127.example", false), ("http://10.0.0.1", false),
    ("http://[::2]", false), ("http://localhost.example", false),
  ])
  func keepsSecretsByTLSOrOnThisMachine(text: String, keeps: Bool) throws {
    #expect(try ServiceURL(parsing: text).keepsSecrets == keeps)
  }
}
