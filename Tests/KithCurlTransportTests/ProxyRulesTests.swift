// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KithCurlTransport

@Suite struct ProxyRulesTests {
  func proxy(_ environment: [String: String], isPlain: Bool = false, host: String = "a.test") -> String {
    ProxyRules { environment[$0] }.proxy(isPlain: isPlain, host: host)
  }

  @Test func readsTheUsualVariables() {
    #expect(proxy([:]) == "")
    #expect(proxy(["https_proxy": "p:1"]) == "p:1")
    #expect(proxy(["HTTPS_PROXY": "p:1"]) == "p:1")
    #expect(proxy(["https_proxy": "p:1"], isPlain: true) == "")
    #expect(proxy(["http_proxy": "p:1"], isPlain: true) == "p:1")
    #expect(proxy(["ALL_PROXY": "p:1"], isPlain: true) == "p:1")
    #expect(proxy(["ALL_PROXY": "p:1", "https_proxy": "p:2"]) == "p:2")
    #expect(proxy(["ALL_PROXY": "p:1", "https_proxy": ""]) == "")
  }

  @Test func doesNotTrustTheVariableThatAClientOfACGIProgramSets() {
    #expect(proxy(["HTTP_PROXY": "p:1"], isPlain: true) == "")
  }

  @Test(arguments: [
    ("*", "a.test", true), ("a.test", "a.test", true), (".a.test", "b.a.test", true),
    ("a.test.", "b.a.test", true), ("A.Test", "a.test", true), ("x,a.test y", "a.test", true),
    ("a.test", "ba.test", false), ("test", "a.test", true), ("est", "a.test", false), (",", "a.test", false),
    ("10.0.0.0/8", "10.1.2.3", true), ("10.0.0.0/8", "11.1.2.3", false), ("10.0.0.1", "10.0.0.1", true),
    ("10.0.0.1", "10.0.0.10", false), ("[fd00::]/8", "fd12::1", true), ("fd00::/8", "fd12::1", true),
    ("2001:db8:1::/96", "2001:db8:1::2", true), ("2001:db8:1::/96", "2001:db8:1::1:0:0", false),
    ("0.0.0.0/0", "9.9.9.9", true), ("10.0.0.0/x", "10.0.0.1", false), ("10.0.0.1", "a.test", false),
  ])
  func exceptsHostsDomainsAndBlocks(exceptions: String, host: String, isExcepted: Bool) {
    #expect(proxy(["https_proxy": "p:1", "no_proxy": exceptions], host: host).isEmpty == isExcepted)
  }
}
