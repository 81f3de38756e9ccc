// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KithDashboard

struct DashboardPlaceTests {
  private let place = DashboardPlace(port: 4_000, forwarded: "Devbox.example:8080")

  @Test(arguments: [
    "127.0.0.1:4000", "localhost:4000", "LOCALHOST:4000", "[::1]:4000", "devbox.example:8080",
  ])
  func servesItsOwnNames(host: String) { #expect(place.isServed(at: host)) }

  @Test(arguments: [
    nil, "", "127.0.0.1", "127.0.0.1:4001", "localhost.evil.test:4000", "evil.test", "127.0.0.1:4000.",
    "127.1:4000",
  ])
  func servesNoOtherName(host: String?) { #expect(!place.isServed(at: host)) }

  @Test func originsAreThoseOfItsNames() {
    #expect(
      place.isOwn(origin: "http://127.0.0.1:4000") && place.isOwn(origin: "https://devbox.example:8080"))
    for origin in [
      nil, "null", "http://127.0.0.1:4001", "http://evil.test", "http://127.0.0.1:4000.evil.test",
    ] {
      #expect(!place.isOwn(origin: origin))
    }
  }
}
