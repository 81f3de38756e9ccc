// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithPosts

/// What a page says about itself, for the card of a link.
@Suite struct PageCardTests {
  private func card(_ page: String) throws -> PostDraft.Card? {
    PostDraft.Card(of: try URI(parsing: "https://example.com/x"), page: Array(page.utf8))
  }

  @Test(arguments: [
    ("<title>A page</title>", "A page", ""),
    (
      "<TITLE lang=en>\n A\n page </TITLE><meta name=description content='What it says'>", "A page",
      "What it says"
    ),
    (
      """
      <head><title>T</title><meta content="O" property="og:title"/><meta property='og:description' content='D'>
      <meta name="description" content="other"></head>
      """, "O", "D"
    ),
    ("<title>a &amp; b &lt;i&gt; &#39;c&#x27; &hellip; &nope; &</title>", "a & b <i> 'c' … &nope; &", ""),
    ("<script>'<title>no</title>'</script><style><title>no</title></style><title>yes</title>", "yes", ""),
    ("<!-- <title>no</title> ---><title>yes</title>", "yes", ""),
    ("<meta property=og:title content=short><body><title>late</title>", "short", ""),
    ("<meta name='twitter:title' content='Grüße 👩‍👩‍👧'>", "Grüße 👩‍👩‍👧", ""),
  ])
  func readsTitleAndDescription(page: String, title: String, description: String) throws {
    let card = try #require(try card(page))
    #expect((card.title, card.description) == (title, description))
  }

  @Test(arguments: [
    "", "<", "<meta", "<meta content=", "<meta property='og:title' content=\"", "<title>", "<title> </title>",
    "plain",
    "<body><title>late</title>", "<script><title>no</title>", "<!-- <title>no</title>", "{\"title\": 1}",
  ])
  func aPageWithoutATitleHasNoCard(page: String) throws {
    #expect(try card(page) == nil)
  }

  @Test func longWordsAreCut() throws {
    let card = try #require(try card("<title>\(String(repeating: "é", count: 5_000))</title>"))
    #expect(card.title.count == 300 && card.title.hasSuffix("…"))
  }

  @Test(arguments: ["<", "<meta ", "<meta a=\"", "&#x", "<title>&", "<!--", "</", "<script></"])
  func hugePagesTakeLinearTime(part: String) throws {
    let bytes = PostDraft.Card.mostPageBytes / part.utf8.count
    _ = try card(String(repeating: part, count: bytes))
  }

  @Test func bytesThatAreNoTextDoNoHarm() throws {
    let link = try URI(parsing: "https://example.com")
    let card = PostDraft.Card(
      of: link, page: Array("<title>a".utf8) + [0xFF, 0xFE, 0] + Array("</title>".utf8))
    #expect(card?.title.hasPrefix("a") == true)
  }

  // MARK: Asking

  private func ask(
    _ link: String, type: String = "text/html; charset=utf-8", status: Int = 200
  ) async throws -> (card: PostDraft.Card?, requests: [TransportRequest]) {
    let transport = ScriptedTransport { _ in
      var head = HTTPResponse(status: .init(code: status))
      head.headerFields[.contentType] = type
      return TransportResponse(head: head, body: Array("<title>T</title>".utf8))
    }
    let card = try await PostDraft.Card(of: try URI(parsing: link), over: transport)
    return (card, transport.requests)
  }

  @Test func asksOnlyPublicHostsForAShortTime() async throws {
    let (card, requests) = try await ask("https://example.com/ä?b=c#d")
    #expect(card?.title == "T")
    let request = try #require(requests.first)
    #expect(request.reach == .publicOnly && request.limits.total <= .seconds(5))
    #expect(request.head.path == "/%C3%A4?b=c" && request.head.authority == "example.com")
    #expect(request.head.headerFields[.authorization] == nil)
  }

  // MARK: Pictures

  private static func file(_ name: String) throws -> [UInt8] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Pictures")
    return Array(try Data(contentsOf: folder.appending(path: name)))
  }

  @Test(arguments: [
    ("https://cdn.example.com/a.jpg", "https://cdn.example.com/a.jpg"),
    ("//cdn.example.com/a.jpg?b&amp;c", "https://cdn.example.com/a.jpg?b&c"),
    ("/a.jpg", "https://example.com/a.jpg"),
  ])
  func thePictureMayLeaveOutItsHost(named: String, address: String) throws {
    let card = try #require(try card("<title>T</title><meta property=og:image content='\(named)'>"))
    #expect(card.picture == (try URI(parsing: address)))
  }

  private func load(
    _ file: [UInt8], at address: String = "https://cdn.example.com/a", status: Int = 200
  ) async throws -> (picture: Picture?, requests: [TransportRequest]) {
    let transport = ScriptedTransport { _ in
      TransportResponse(head: HTTPResponse(status: .init(code: status)), body: file)
    }
    var card = try #require(try card("<title>T</title>"))
    card.picture = URI(address)
    return (try await card.loadedPicture(over: transport), transport.requests)
  }

  @Test func thePictureLosesItsMetadataAndIsAskedForLikeThePage() async throws {
    let file = try Self.file("photo.jpg")
    let (picture, requests) = try await load(file)
    #expect(picture == (try Picture(file)) && picture?.removed.contains(.position) == true)
    #expect(requests.first?.reach == .publicOnly)
  }

  @Test func whatACardCannotHaveIsLeftOut() async throws {
    let file = try Self.file("photo.png")
    #expect(try await load(file).picture != nil)
    #expect(try await load(file, status: 404).picture == nil)
    #expect(try await load(Array("<html>".utf8)).picture == nil)
    #expect(
      try await load(file + [UInt8](repeating: 0, count: PostDraft.Card.mostPictureBytes)).picture == nil)
    await #expect(throws: TransportError.self) { try await load(file, at: "http://cdn.example.com/a") }
  }

  @Test(arguments: [
    "http://example.com", "ftp://example.com", "https://user@example.com", "https://ex%41mple.com",
  ])
  func otherAddressesAreNotAsked(link: String) async throws {
    let address = try URI(parsing: link)
    let transport = ScriptedTransport { _ in throw TransportError(.closed, host: "", detail: "") }
    await #expect(throws: TransportError.self) { _ = try await PostDraft.Card(of: address, over: transport) }
    #expect(transport.requests.isEmpty)
  }

  @Test(arguments: [("image/png", 200), ("text/html", 404), ("", 200)])
  func whatIsNoPageHasNoCard(type: String, status: Int) async throws {
    #expect(try await ask("https://example.com", type: type, status: status).card == nil)
  }
}
