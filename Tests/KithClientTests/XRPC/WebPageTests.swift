// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KithClient

@Suite struct WebPageTests {
  @Test(arguments: [
    ("text/html; charset=utf-8", "anything", true), ("TEXT/HTML", "", true),
    ("application/xhtml+xml", "<?xml?>", true),
    (nil, "<!DOCTYPE html><html>", true), ("text/plain", "\u{FEFF}\n <HTML lang=en>", true),
    ("application/json", "<html>", true), ("text/plain", "no such record", false),
    (nil, "", false), (nil, "<error>no</error>", false), ("application/json", "{}", false),
  ])
  func recognizesAPage(type: String?, text: String, isPage: Bool) {
    #expect((WebPage(type: type, text: text) != nil) == isPage)
  }

  @Test(arguments: [
    ("<html><head><title>403 Forbidden</title></head>", "403 Forbidden"),
    ("<TITLE lang=\"en\">\n  Just a\tmoment\u{2026} </TITLE >", "Just a moment\u{2026}"),
    ("<title>a &lt; b &amp;amp; c</title>", "a < b &amp; c"),
    ("<title>\u{130}stanbul</title>", "\u{130}stanbul"),
    ("<title>first</title><title>second</title>", "first"), ("<title> </title>", nil),
    ("<title>never ends", nil), ("</title><title", nil), ("<h1>403</h1>", nil), ("", nil),
  ])
  func readsTheTitle(text: String, title: String?) throws {
    #expect(try #require(WebPage(type: "text/html", text: text)).title == title)
  }
}
