// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KithDashboard

struct DashboardPlaceTests {
  private let place = DashboardPlace(port: 4_000, forwarded: DashboardPlace.Address("Devbox.example:8080"))

  @Test(arguments: [
    "127.0.0.1:4000", "localhost:4000", "LOCALHOST:4000", "[::1]:4000", "devbox.example:8080",
  ])
  func servesItsOwnNames(host: String) { #expect(place.address(ofHost: host) != nil) }

  @Test(arguments: [
    nil, "", "127.0.0.1", "127.0.0.1:4001", "localhost.evil.test:4000", "evil.test", "127.0.0.1:4000.",
    "127.1:4000", "devbox.example", "x.localhost:4000",
  ])
  func servesNoOtherName(host: String?) { #expect(place.address(ofHost: host) == nil) }

  /// Browsers say where a request comes from only to this machine or over https.
  @Test func aNameElsewhereHasHTTPS() throws {
    #expect(place.origin == "https://devbox.example:8080")
    #expect(
      place.isOwn(origin: "http://127.0.0.1:4000") && place.isOwn(origin: "https://devbox.example:8080"))
    for origin in [
      nil, "null", "http://127.0.0.1:4001", "https://127.0.0.1:4000", "http://devbox.example:8080",
      "http://evil.test",
      "http://127.0.0.1:4000.evil.test",
    ] {
      #expect(!place.isOwn(origin: origin))
    }
    let local = DashboardPlace(port: 4_000, forwarded: DashboardPlace.Address("localhost:9000"))
    #expect(local.origin == "http://localhost:9000" && local.isOwn(origin: "http://localhost:9000"))
  }

  @Test func theUsualPortIsNotNamed() {
    let place = DashboardPlace(port: 4_000, forwarded: DashboardPlace.Address("devbox.example:443"))
    #expect(
      place.address(ofHost: "devbox.example") != nil && place.address(ofHost: "devbox.example:443") == nil)
    #expect(place.origin == "https://devbox.example" && place.isOwn(origin: "https://devbox.example"))
  }

  @Test(arguments: ["", ":80", "x:", "x:0", "x:65536", "x:080", "x:1:2", "a b:1", "é:1", "x/y:1", "[::1]:1"])
  func anythingElseIsNoAddress(text: String) { #expect(DashboardPlace.Address(text) == nil) }
}
