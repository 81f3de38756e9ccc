// SPDX-License-Identifier: Apache-2.0

import KithClient
import TestSupport
import Testing

@testable import KithDashboard

@Suite struct PictureAddressTests {
  /// The hosts that are asked for the pictures of an AppView.
  @Test(arguments: [
    ("https://public.api.bsky.app", "https://cdn.bsky.app/a.jpg", TransportRequest.Reach.publicOnly),
    ("https://public.api.bsky.app", "HTTPS://CDN.bsky.app:443?a", .publicOnly),
    ("https://api.bsky.network", "https://cdn.bsky.app/a", .publicOnly),
    ("https://appview.test", "https://cdn.bsky.app/a", .publicOnly),
    ("https://appview.test", "https://appview.test/a", .publicOnly),
    ("https://appview.test:8443", "https://appview.test/a", .publicOnly),
    ("https://notbsky.app", "https://notbsky.app/a", .publicOnly),
    ("http://localhost:2584", "https://cdn.bsky.app/a", .publicOnly),
    ("http://localhost:2584", "http://localhost:2583/a", .anywhere),
    ("http://localhost:2584", "https://localhost/a", .anywhere),
    ("http://pds.localhost:1", "http://pds.localhost/a", .anywhere),
    ("http://127.0.0.1:2584", "http://127.0.0.1:2583/a", .anywhere),
    ("http://[::1]:2584", "http://[::1]:2583/a", .anywhere),
  ]) func asksTheHostsThatHaveThem(appview: String, address: String, reach: TransportRequest.Reach) throws {
    let appview = try ServiceURL(parsing: appview)
    #expect(PictureAddress(address)?.reach(for: appview) == reach)
  }

  @Test(arguments: [
    ("https://public.api.bsky.app", "http://cdn.bsky.app/a"),
    ("https://public.api.bsky.app", "https://cdn.bsky.app:8443/a"),
    ("https://public.api.bsky.app", "https://public.api.bsky.app/a"),
    ("https://public.api.bsky.app", "https://video.bsky.app/a"),
    ("https://public.api.bsky.app", "https://cdn.bsky.app.evil.test/a"),
    ("https://public.api.bsky.app", "https://evil.test/cdn.bsky.app"),
    ("https://public.api.bsky.app", "http://localhost/a"),
    ("https://public.api.bsky.app", "https://127.0.0.1/a"),
    ("https://appview.test", "http://appview.test/a"),
    ("https://appview.test", "https://appview.test:8443/a"),
    ("https://appview.test", "https://cdn.appview.test/a"),
    ("https://appview.test", "http://localhost/a"),
    ("http://localhost:2584", "http://127.0.0.1:2584/a"),
    ("http://localhost:2584", "http://192.168.0.1/a"),
    ("http://localhost:2584", "http://localhost.evil.test:2584/a"),
    ("http://192.168.0.1:2584", "http://192.168.0.1:2584/a"),
  ]) func asksNoOthers(appview: String, address: String) throws {
    let appview = try ServiceURL(parsing: appview)
    #expect(try #require(PictureAddress(address)).reach(for: appview) == nil)
  }

  @Test(arguments: [
    "", "a", "/img/a", "//cdn.bsky.app/a", "cdn.bsky.app/a", "ftp://cdn.bsky.app/a",
    "data:image/png;base64,AA",
    "javascript:alert(1)", "file:///etc/passwd", "at://did:web:a.test/b/c", "https:///a",
    "https://user@cdn.bsky.app/a",
    "https://cdn.bsky.app:443@evil.test/a", "https://cdn.bsky.app\\@evil.test/a", "https://cdn.bsky.app/a b",
    "https://cdn.bsky.app/a\r\nHost: evil.test", "https://cdn.bsky.app/\u{E4}", "https://cdn.bsky.app/a#b",
    "https://cdn.bsky.app./a", "https://cdn.bsky.app:0/a",
    "https://cdn.bsky.app/" + String(repeating: "a", count: 1_980),
  ]) func refusesWhatIsNotAnAddressOfAPicture(text: String) { #expect(PictureAddress(text) == nil) }

  @Test func keepsPathAndQueryAsTheyAre() throws {
    let longest = "https://cdn.bsky.app/" + String(repeating: "a", count: 1_979)
    for (text, path) in [
      ("https://cdn.bsky.app", "/"), ("https://cdn.bsky.app?a=%20/@", "/?a=%20/@"),
      ("https://cdn.bsky.app/a/../b@jpeg?c", "/a/../b@jpeg?c"), (longest, String(longest.dropFirst(20))),
    ] {
      #expect(try #require(PictureAddress(text)).path == path)
    }
  }

  @Test(arguments: [
    "/img/avatar/plain/did:plc:a/CID@jpeg", "/img/avatar/plain/did:plc:a/CID", "/CID.png", "/CID?a=b",
    "/xrpc/com.atproto.sync.getBlob?did=did:plc:a&cid=CID", "/?cid=CID&did=did:plc:a",
  ]) func contentIsNamedByItsCID(path: String) throws {
    let address = "https://cdn.bsky.app" + path.replacing("CID", with: PictureSamples.cid)
    #expect(try #require(PictureAddress(address)).fileName?.count == 64)
  }

  @Test(arguments: [
    "/", "/banner@jpeg", "/img/avatar/plain/did:plc:a/abcdefgh12345678@jpeg", "/?cid=", "/?cid=abcdefgh",
    "/a?b=CID",
    "/a?acid=CID", "/xCID", "/\(PictureSamples.cid.dropLast())",
  ]) func otherContentMayChange(path: String) throws {
    let address = "https://cdn.bsky.app" + path.replacing("CID", with: PictureSamples.cid)
    #expect(try #require(PictureAddress(address)).fileName == nil)
  }

  @Test func namesOfFilesDifferWithTheAddress() throws {
    let names = [
      PictureSamples.avatar, PictureSamples.avatar.replacing("avatar", with: "banner"),
      PictureSamples.avatar.replacing("cdn.bsky.app", with: "cdn.test"),
    ].map { PictureAddress($0)?.fileName }
    #expect(Set(names).count == 3 && !names.contains(nil))
    let capitals = PictureSamples.avatar.replacing("cdn.bsky.app", with: "CDN.bsky.app:443")
    #expect(PictureAddress(capitals)?.fileName == names[0])
  }
}
