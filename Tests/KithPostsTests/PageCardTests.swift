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
    // What could not be read is not published.
    #expect(card == nil)
  }

  @Test func wordsAreBoundedInBytesToo() throws {
    for many in [
      "a" + String(repeating: "\u{301}", count: 250_000), String(repeating: "👩\u{200D}", count: 60_000),
      String(repeating: "\u{1F3F4}\u{E0067}\u{E0062}", count: 40_000), String(repeating: "字", count: 9_000),
    ] {
      let card = try #require(
        try card("<title>\(many)</title><meta name=description content='\(many)'>"))
      #expect(card.title.utf8.count <= 3_003 && card.description.utf8.count <= 10_003)
      #expect(card.title.count <= 300 && card.description.count <= 1_000)
      #expect(!card.title.isEmpty && !card.title.contains("\u{FFFD}"))
    }
    #expect(
      try card("<title>a\(String(repeating: "\u{301}", count: 9))</title>")?.title == "á\u{301}\u{301}\u{301}"
    )
  }

  @Test(arguments: [
    "\u{1B}[31mred\u{7}", "&#27;[31mr&#x07;ed", "[31m\u{202E}r\u{2066}ed", "[31mr\u{AD}e\u{200B}d",
    "[31mr\u{FEFF}e\u{E0041}d", "[31m\u{115F}red\u{3164}", "\u{0}[31mr\u{85}ed", "[31mr&zwnj;e&rlm;d",
    "[31mr\u{E000}ed",
  ])
  func charactersThatAreNotSeenAreNotPublished(words: String) throws {
    let card = try #require(
      try card("<title>\(words)</title><meta name=description content='\(words)'>"))
    let text = card.title.filter { !$0.isWhitespace }
    #expect(text == "[31mred" && card.description == card.title)
  }

  @Test(arguments: ["\u{202E}", "&#27;", "\u{200B}\u{200D}", "&zwj;"])
  func aTitleOfWhatIsNotSeenIsNone(words: String) throws {
    #expect(try card("<title>\(words)</title>") == nil)
  }

  @Test(arguments: ["👩‍👩‍👧", "👍🏽", "❤️", "é", "क्षि", "नमस्ते", "שָׁלוֹם"])
  func signsThatTextsNeedStay(words: String) throws {
    #expect(
      try card("<title>\(words)</title>")?.title.unicodeScalars.elementsEqual(words.unicodeScalars) == true)
  }

  @Test(arguments: [
    ("&eacute;&Uuml;&szlig;&euro;&rarr;&alpha;&apos;", "éÜß€→α'"), ("&Eacute;&yuml;&nbsp;x", "Éÿ x"),
    ("&eacut; &EACUTE; &#xD800; &#99999999;", "&eacut; &EACUTE; &#xD800; &#99999999;"),
  ])
  func namesOfHTMLAreRead(words: String, title: String) throws {
    #expect(try card("<title>\(words)</title>")?.title == title)
  }

  // MARK: Encodings

  /// Pages as other programs encode them, and how they say it.
  private static let encodings: [(charset: String, title: String, bytes: [UInt8])] = [
    ("Shift_JIS", "日本語ｶﾅ", [0x93, 0xFA, 0x96, 0x7B, 0x8C, 0xEA, 0xB6, 0xC5]),
    ("euc-jp", "日本語", [0xC6, 0xFC, 0xCB, 0xDC, 0xB8, 0xEC]),
    ("ISO-2022-JP", "日本", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x4B, 0x5C, 0x1B, 0x28, 0x42]),
    ("euc-kr", "한국어", [0xC7, 0xD1, 0xB1, 0xB9, 0xBE, 0xEE]), ("Big5", "中文", [0xA4, 0xA4, 0xA4, 0xE5]),
    ("gb2312", "中文", [0xD6, 0xD0, 0xCE, 0xC4]),
    ("windows-1251", "Привет", [0xCF, 0xF0, 0xE8, 0xE2, 0xE5, 0xF2]),
    ("iso-8859-1", "é€“", [0xE9, 0x80, 0x93]), ("iso-8859-2", "ł", [0xB3]), ("koi8-r", "Да", [0xE4, 0xC1]),
  ]

  private func page(_ title: [UInt8], _ head: String = "") -> [UInt8] {
    Array("<html><head>\(head)<title>".utf8) + title + Array("</title>".utf8)
  }

  private func title(_ page: [UInt8], _ charset: String?) throws -> String? {
    PostDraft.Card(of: try URI(parsing: "https://example.com"), page: page, charset: charset)?.title
  }

  @Test(arguments: encodings)
  func aPageIsReadAsItSaysThatItIsEncoded(charset: String, title: String, bytes: [UInt8]) throws {
    #expect(try self.title(page(bytes), charset) == title)
    #expect(try self.title(page(bytes, "<meta charset=\"\(charset)\">"), nil) == title)
    let type = "<META content='text/html; charset=\(charset.uppercased())' http-equiv=Content-Type>"
    #expect(try self.title(page(bytes, type), nil) == title)
    // The header counts more than the page.
    #expect(try self.title(page(bytes, "<meta charset=utf-8>"), charset) == title)
    // Without a word, and in an encoding that this machine does not know, it says nothing.
    #expect(try self.title(page([0xFF] + bytes), nil) == nil)
    #expect(try self.title(page(bytes), "x-unknown") == nil)
  }

  @Test func marksOfUnicodeCountMost() throws {
    let text = Array("<title>é</title>".utf16)
    let little: [UInt8] = [0xFF, 0xFE] + text.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let big: [UInt8] = [0xFE, 0xFF] + text.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    for page in [little, big, [0xEF, 0xBB, 0xBF] + Array("<title>é</title>".utf8)] {
      #expect(try title(page, "koi8-r") == "é")
    }
    #expect(try title(Array("<meta charset=utf-16><title>é</title>".utf8), nil) == "é")
  }

  @Test(arguments: encodings)
  func anyBytesInAnyEncodingEnd(charset: String, title: String, bytes: [UInt8]) throws {
    for byte in UInt8.min...UInt8.max { _ = try self.title(page(bytes + [byte]), charset) }
    // A character that the beginning of the page cuts does no harm.
    #expect(
      PageText.decode(Array("<title>a</title>".utf8) + bytes.dropLast(), charset: charset)?.hasPrefix(
        "<title>a<") == true)
    #expect(PageText.decode([UInt8](repeating: 0xFF, count: 5_000), charset: charset) != nil)
  }

  @Test(
    arguments: [
      ("text/html; charset=UTF-8", "UTF-8"), ("text/html;Charset=\"euc-jp\"", "euc-jp"),
      ("text/html; a=b; charset = 'x'", "x"),
      ("text/html", nil), ("charset=x", nil), ("text/html; charset=", nil), ("", nil),
    ] as [(String, String?)])
  func aTypeSaysHowABodyIsEncoded(type: String, charset: String?) {
    #expect(MediaType.charset(of: type) == charset)
  }

  @Test func theHeaderOfTheResponseIsRead() async throws {
    let bytes = page([0x93, 0xFA, 0x96, 0x7B])
    let transport = ScriptedTransport { _ in
      var head = HTTPResponse(status: .ok)
      head.headerFields[.contentType] = "text/html; charset=Shift_JIS"
      return TransportResponse(head: head, body: bytes)
    }
    let card = try await PostDraft.Card(of: try URI(parsing: "https://example.com"), over: transport)
    #expect(card?.title == "日本")
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
    ("/a.jpg", "https://example.com/a.jpg"), ("a.jpg", "https://example.com/a.jpg"),
    ("img/a.jpg?b", "https://example.com/img/a.jpg?b"), ("./img/../a/b.jpg", "https://example.com/a/b.jpg"),
    ("../../a.jpg", "https://example.com/a.jpg"), ("/a/./b/../c.jpg", "https://example.com/a/c.jpg"),
    ("?a", "https://example.com/x?a"), ("http://example.org/a.jpg", "http://example.org/a.jpg"),
  ])
  func thePictureMayLeaveOutItsHost(named: String, address: String) throws {
    let card = try #require(try card("<title>T</title><meta property=og:image content='\(named)'>"))
    #expect(card.picture == (try URI(parsing: address)))
  }

  @Test(arguments: [
    ("https://cdn.example.com/b/", "https://cdn.example.com/b/a.jpg"),
    ("/b/c", "https://www.example.com/b/a.jpg"),
    ("//example.org", "https://example.org/a.jpg"), ("", "https://www.example.com/deep/a.jpg"),
  ])
  func thePictureIsRelativeToWhereTheLinkLedOrToWhatThePageSays(base: String, address: String) throws {
    let page = "<base href='\(base)'><title>T</title><meta property=og:image content='a.jpg'>"
    let card = try #require(
      PostDraft.Card(
        of: try URI(parsing: "https://example.com/x"), page: Array(page.utf8),
        at: try URI(parsing: "https://www.example.com/deep/y?z")))
    #expect(card.picture == (try URI(parsing: address)) && "\(card.link)" == "https://example.com/x")
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
    ("http://example.com", "not an https address"), ("ftp://example.com", "not an https address"),
    ("https://user@example.com", "the address contains a user name"),
    ("https://user:pw@host/", "the address contains a user name"),
    ("https://ex%41mple.com", "its host is not a valid name"),
    ("https://a b.com", "its host is not a valid name"),
    ("https://a…b.com", "its host is not a valid name"), ("https://[::1/", "its host is not a valid name"),
  ])
  func otherAddressesAreNotAskedForATrueReason(link: String, reason: String) async throws {
    let address = try URI(parsing: link.replacing(" ", with: "\u{2003}"))
    let transport = ScriptedTransport { _ in throw TransportError(.closed, host: "", detail: "") }
    let error = await #expect(throws: TransportError.self) {
      _ = try await PostDraft.Card(of: address, over: transport)
    }
    #expect(error?.detail.hasSuffix("(\(reason))") == true && transport.requests.isEmpty)
  }

  @Test(arguments: [
    ("https://bücher.example/x", "xn--bcher-kva.example"),
    ("https://BÜCHER.example:8443", "xn--bcher-kva.example:8443"),
    ("https://例え.jp/", "xn--r8jz45g.jp"), ("https://☕.example?a", "xn--53h.example"),
    ("https://[2001:db8::1]/", "[2001:db8::1]"),
  ])
  func namesInUnicodeAreAskedInASCII(link: String, authority: String) async throws {
    let (card, requests) = try await ask(link)
    #expect(requests.first?.head.authority == authority && card.map { "\($0.link)" } == link)
  }

  @Test(arguments: [("image/png", 200), ("text/html", 404), ("", 200)])
  func whatIsNoPageHasNoCard(type: String, status: Int) async throws {
    #expect(try await ask("https://example.com", type: type, status: status).card == nil)
  }
}
