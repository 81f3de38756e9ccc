// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KithCurlTransport

@Suite struct IPAddressTests {
  @Test(arguments: [
    "0.0.0.0", "0.1.2.3", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.1",
    "127.255.255.255", "169.254.169.254", "172.16.0.0", "172.31.255.255", "192.0.0.1", "192.0.2.1",
    "192.88.99.1", "192.168.0.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1",
    "239.255.255.255", "240.0.0.1", "255.255.255.255",
    "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::10.0.0.1",
    "64:ff9b:1::8.8.8.8",
    "100::1", "2001::1", "2001:2::1", "2001:db8::1", "2002:7f00:1::1", "2002:c0a8:101::1", "3fff::1",
    "5f00::1",
    "fc00::1", "fd12:3456::1", "fe80::1", "fec0::1", "ff02::1",
  ])
  func knowsSpecialRanges(text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(!address.isPublic)
  }

  @Test(arguments: [
    "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
    "128.0.0.1", "169.253.255.255", "172.15.255.255", "172.32.0.0", "192.0.1.1", "192.167.255.255",
    "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
    "2606:4700:4700::1111", "2001:4860:4860::8888", "2a00:1450::1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8",
    "2002:808:808::1",
  ])
  func knowsPublicOnes(text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(address.isPublic)
  }

  @Test(arguments: ["", "1.2.3", "1.2.3.4.5", "256.1.1.1", "0x7f.0.0.1", "a.test", "fe80::1%eth0", "[::1]"])
  func refusesOtherNotations(text: String) {
    #expect(IPAddress(text) == nil)
  }

  @Test func writesItself() {
    #expect(IPAddress("192.0.2.1")?.description == "192.0.2.1")
    #expect(IPAddress("2001:db8::ff")?.description == "2001:db8:0:0:0:0:0:ff")
  }
}
