// SPDX-License-Identifier: Apache-2.0

import KithInsights
import Testing

/// Pieces of HTML, and the texts in them.
@Suite struct HTMLTests {
  @Test func literalsAreMarkup() {
    let html: HTML = "<p class=\"a\">1 & 2 …</p>"
    #expect(html.text == "<p class=\"a\">1 & 2 …</p>" && html.bytes == Array(html.text.utf8))
    #expect(HTML().isEmpty && !html.isEmpty)
  }

  static let escaped = [
    ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
    ("\" onclick=\"x", "&quot; onclick=&quot;x"), ("' x='", "&#39; x=&#39;"), ("&amp;", "&amp;amp;"),
    ("]]><!--", "]]&gt;&lt;!--"), ("\u{301}<b", "\u{301}&lt;b"), ("<\u{301}b", "&lt;\u{301}b"),
    ("\"\u{FE0F}>", "&quot;\u{FE0F}&gt;"),
  ]

  @Test(arguments: escaped) func textsAreEscapedInContentAndAttributes(text: String, escaped: String) {
    let html: HTML = "<a title=\"\(text)\">\(text)</a>"
    #expect(scalars(html.text) == scalars("<a title=\"\(escaped)\">\(escaped)</a>"))
    #expect(scalars(HTML(text: text).text) == scalars(escaped))
  }

  /// Another cleaning goes before the same escaping.
  @Test(arguments: escaped) func textsOfStrangersAreEscaped(text: String, escaped: String) {
    let visible = escaped.replacing("&quot;\u{FE0F}", with: "&quot;\u{FFFD}")
    let html: HTML = "<a title=\"\(guestValue: text)\">\(guest: text)</a>"
    #expect(
      scalars(html.text)
        == scalars("<a title=\"\u{2068}\(visible)\u{2069}\"><bdi>\(visible)</bdi></a>"))
  }

  @Test(arguments: [true, false]) func aLiteralInAnInterpolationIsAText(isFolded: Bool) {
    let html: HTML = "\("<b>")\(isFolded ? "<i>" : "<u>")"
    #expect(html.text == "&lt;b&gt;&lt;\(isFolded ? "i" : "u")&gt;")
  }

  @Test func textsLoseCharactersThatHideOrReorder() {
    let html: HTML = "<p>\("a\u{202E}b\u{AD}c\u{200B}d\u{0}e\nf")</p>"
    #expect(html.text == "<p>abcde f</p>")
  }

  @Test func longTextsEndWithAnEllipsis() {
    let text = String(repeating: "<", count: 5_000)
    let (cut, whole): (HTML, HTML) = ("\(text, most: 2)", "\(text)")
    #expect(cut.text == "&lt;&lt;…" && whole.text == String(repeating: "&lt;", count: 5_000))
  }

  @Test func textsOfStrangersAreIsolatedAndShowWhatTheyHide() {
    let name = "a\u{202E}<b>\u{200B}"
    let html: HTML = "<p>\(guest: name)</p><img alt=\"Picture of \(guestValue: name)\">"
    let shown = "a\u{FFFD}&lt;b&gt;\u{FFFD}"
    #expect(
      html.text == "<p><bdi>\(shown)</bdi></p><img alt=\"Picture of \u{2068}\(shown)\u{2069}\">")
  }

  /// The cleaning of other texts would remove them.
  @Test(arguments: ["می‌خواهم", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "👩‍👩‍👧", "שלום\u{200F}!"])
  func textsOfStrangersKeepWhatTheirScriptNeeds(text: String) {
    let html: HTML = "\(guest: text)"
    #expect(scalars(html.text) == scalars("<bdi>\(text)</bdi>"))
  }

  @Test func numbersAndPiecesStayAsTheyAre() {
    let item: HTML = "<li>\(-3)</li>"
    let items: [HTML] = [item, "<li>\(UInt64.max)</li>"]
    let html: HTML = "<ul>\(items)</ul>\(item)\(HTML(markup: "<svg/>"))"
    #expect(html.text == "<ul><li>-3</li><li>18446744073709551615</li></ul><li>-3</li><svg/>")
  }

  @Test func nothingStandsForWhatIsMissing() {
    let (missing, present): (HTML?, HTML?) = (nil, "<i>x</i>")
    let html: HTML = "<p>\(missing)\(present)\([HTML]())\([HTML](repeating: "<br>", count: 2))</p>"
    #expect(html.text == "<p><i>x</i><br><br></p>")
  }

  @Test func piecesAreAdded() {
    var html: HTML = "<p>"
    html += "\("<")"
    html += "</p>"
    #expect(html.text == "<p>&lt;</p>")
  }

  /// Equal strings may differ in their scalars.
  private func scalars(_ text: String) -> [Unicode.Scalar] { Array(text.unicodeScalars) }
}
