// SPDX-License-Identifier: Apache-2.0

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
