// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithPosts

/// What a text names, and which facets fit it.
@Suite struct RichTextTests {
  private func words(_ text: String) -> [String] {
    let bytes = Array(text.utf8)
    return TextMark.all(in: text).map { mark in
      let part = String(decoding: bytes[mark.bytes], as: UTF8.self)
      return switch mark.kind {
      case .mention(let handle): "\(part) → @\(handle)"
      case .link(let link): "\(part) → \(link)"
      case .tag(let tag): "\(part) → #\(tag)"
      }
    }
  }

  @Test(arguments: [
    ("hi @alice.test", ["@alice.test → @alice.test"]),
    ("(@alice.test)", ["@alice.test → @alice.test"]),
    ("@alice.test. And @bob.test-", ["@alice.test → @alice.test", "@bob.test → @bob.test"]),
    ("a@alice.test", []), ("@alice", []), ("@", []), ("@.", []), ("@-.-", []),
    ("héllo 👨‍👩‍👧 @alice.test", ["@alice.test → @alice.test"]),
    ("@ALICE.test", ["@ALICE.test → @alice.test"]),
  ])
  func findsMentions(text: String, found: [String]) {
    #expect(words(text) == found)
  }

  @Test(arguments: [
    ("see https://example.com/a?b=c#d.", ["https://example.com/a?b=c#d → https://example.com/a?b=c#d"]),
    ("see example.com, too", ["example.com → https://example.com"]),
    ("(example.com)", ["example.com → https://example.com"]),
    ("(see https://example.com/x).", ["https://example.com/x → https://example.com/x"]),
    ("https://example.com/a_(b)", ["https://example.com/a_(b) → https://example.com/a_(b)"]),
    ("(https://example.com/a_(b))", ["https://example.com/a_(b) → https://example.com/a_(b)"]),
    ("HTTP://Example.com", ["HTTP://Example.com → HTTP://Example.com"]),
    ("my-site.co.uk/päge", ["my-site.co.uk/päge → https://my-site.co.uk/päge"]),
    ("localhost.test:8080/x", ["localhost.test:8080/x → https://localhost.test:8080/x"]),
    // Scripts without white space.
    (
      "詳細は https://example.com/a。 次 https://e.example、 終",
      ["https://example.com/a → https://example.com/a", "https://e.example → https://e.example"]
    ),
    (
      "https://a.test/b、https://c.test/d。次",
      ["https://a.test/b → https://a.test/b", "https://c.test/d → https://c.test/d"]
    ),
    ("「https://example.com/」（example.com）", ["https://example.com/ → https://example.com/"]),
    ("https://example.com/a…", ["https://example.com/a → https://example.com/a"]),
    ("انظر https://example.com/a، ثم", ["https://example.com/a → https://example.com/a"]),
    ("https://example.com/a। और", ["https://example.com/a → https://example.com/a"]),
    (
      "https://ja.wikipedia.org/wiki/ビル・ゲイツ",
      ["https://ja.wikipedia.org/wiki/ビル・ゲイツ → https://ja.wikipedia.org/wiki/ビル・ゲイツ"]
    ),
    (
      "https://example.com/a–b» https://example.com/c·",
      ["https://example.com/a–b → https://example.com/a–b", "https://example.com/c → https://example.com/c"]
    ),
    ("node.js e.g. 1.5 a..com -a.com a.com@b", []), ("https://", []), ("http:// x", []),
    ("xhttps://example.com", []), ("javascript:alert(1)", []),
  ])
  func findsLinks(text: String, found: [String]) {
    #expect(words(text) == found)
  }

  @Test(arguments: [
    ("#swift", ["#swift → #swift"]), ("＃スイフト", ["＃スイフト → #スイフト"]),
    ("#a-b! #c.d, #(x", ["#a-b → #a-b", "#c.d → #c.d", "#(x → #(x"]),
    ("x#y ##z #1 #12 #!? # #️⃣", []), ("#1a", ["#1a → #1a"]), ("#a\u{200B}b", ["#a → #a"]),
    ("#" + String(repeating: "é", count: 65), []),
    ("$aapl, $T ($goog)", ["$aapl → #$AAPL", "$T → #$T", "$goog → #$GOOG"]),
    ("$1 $toolong $a-b US$aapl", []),
  ])
  func findsTags(text: String, found: [String]) {
    #expect(words(text) == found)
  }

  @Test func namesUnknownAccountsAsPlainText() throws {
    let text = "@alice.test @bob.test"
    let (alice, did) = (try Handle(parsing: "alice.test"), try DID(parsing: "did:web:a.test"))
    let rich = RichText(MarkedText(text), accounts: [alice: did])
    #expect(rich.facets == [RichText.Facet(0..<11, .mention(did))])
  }

  @Test func keepsOnlyFacetsThatFitTheText() throws {
    // h é l 👍: bytes 0, 1-2, 3, 4-7.
    let text = "hél👍"
    func kept(_ ranges: Range<Int>...) -> [Range<Int>] {
      RichText(text, facets: ranges.map { RichText.Facet($0, .tag("x")) }).facets.map(\.bytes)
    }
    #expect(kept(1..<3, 0..<1) == [0..<1, 1..<3])
    #expect(kept(0..<2, 2..<3, 5..<8, 4..<6) == [])
    #expect(kept(0..<9, -1..<1, 8..<9, 3..<3, 4..<8) == [4..<8])
    #expect(kept(0..<3, 1..<3, 3..<4) == [0..<3, 3..<4])
    #expect(kept(0..<1, 0..<3) == [0..<1])
  }

  @Test func aMillionFacetsAndMarksTakeLinearTime() {
    let facets = (0..<1_000_000).map { RichText.Facet($0..<$0 + 1, .tag("x")) }
    #expect(RichText(String(repeating: "a", count: 1_000), facets: facets).facets.count == 1_000)
    #expect(TextMark.all(in: String(repeating: "(@a.test ", count: 20_000)).count == 20_000)
    #expect(TextMark.all(in: String(repeating: "(", count: 200_000)) == [])
  }

  // MARK: Pieces

  @Test func countsCharactersAsPeopleDo() {
    #expect(RichText.fits(String(repeating: "👨‍👩‍👧", count: 160)))
    #expect(!RichText.fits(String(repeating: "👨‍👩‍👧", count: 170)))
    #expect(RichText.fits(String(repeating: "é", count: 300)))
    #expect(!RichText.fits(String(repeating: "a", count: 301)))
  }

  @Test func splitsAtSentences() {
    let sentence = "This is one of many sentences that say nothing."
    let text = Array(repeating: sentence, count: 10).joined(separator: " ")
    let pieces = RichText.pieces(of: text).map(\.text)
    #expect(pieces.allSatisfy { RichText.fits($0) && $0.hasSuffix("nothing.") })
    #expect(pieces.joined(separator: " ") == text)
    #expect(pieces.count == 2)
  }

  @Test(arguments: [
    (String(repeating: "word ", count: 100), 2), (String(repeating: "x", count: 650), 3),
    (String(repeating: "です。", count: 120), 2), ("", 0), (" \n ", 0), ("short", 1),
    (String(repeating: "a", count: 200) + "\n\n" + String(repeating: "b", count: 200), 2),
    ("z" + String(repeating: "\u{301}", count: 4_000) + " end", 2),
  ])
  func splitsWhatHasNoSentences(text: String, count: Int) {
    let pieces = RichText.pieces(of: text).map(\.text)
    #expect(pieces.count == count)
    #expect(pieces.joined().filter { !$0.isWhitespace } == text.filter { !$0.isWhitespace })
  }

  /// Cut in two, an address would be a link to something else.
  @Test(arguments: [
    "https://example.com/" + String(repeating: "a", count: 200), "@a-long-name.of.a.test",
  ])
  func cutsNoMark(mark: String) {
    for count in 280...300 {
      // One word, so there is no better place.
      for start in [String(repeating: "あ", count: count) + "(", String(repeating: "a", count: count) + " "] {
        let pieces = RichText.pieces(of: start + mark + " end").map(\.text)
        #expect(pieces.contains { $0.contains(mark) }, "\(count)")
        #expect(pieces.allSatisfy { RichText.fits($0) })
      }
    }
  }

  /// At the start of a piece, the rest of a word can look like something else.
  @Test(arguments: [
    ("あ", 300, "https://www.example.com/abc い"), ("x", 300, "@bob.test"), ("あ", 300, "#tag"),
    ("x", 300, "$goog"),
  ])
  func aCutMakesNoMark(letter: String, count: Int, rest: String) {
    let text = String(repeating: letter, count: count) + rest
    #expect(TextMark.all(in: text) == [])
    let pieces = RichText.pieces(of: text)
    #expect(pieces.count == 2 && pieces.allSatisfy(\.marks.isEmpty))
  }

  @Test func piecesHaveExactlyTheMarksOfTheWholeText() {
    let parts = [
      "あ", "あああああああ", "x", "word", "(", ")", " ", " ", "\n\n", "。", "! ", "#", "#tag", "#あ。い", "@",
      "@bob.test",
      "https://www.example.com/abc", "example.com", "$goog", "👨‍👩‍👧", "e\u{301}", "\u{200B}", "\u{FEFF}",
      String(repeating: "z", count: 90),
    ]
    var random = SeededGenerator(seed: 7)
    for _ in 0..<400 {
      let text = (0..<Int.random(in: 20...160, using: &random)).reduce(into: "") { text, _ in
        text += parts.randomElement(using: &random) ?? ""
      }
      if RichText.longMark(in: text) != nil { continue }
      var marks: [TextMark] = []
      var rest = text[...]
      for piece in RichText.pieces(of: text) {
        #expect(RichText.fits(piece.text))
        rest = rest.drop(while: \.isWhitespace)
        #expect(rest.utf8.starts(with: piece.text.utf8))
        let start = text.utf8.distance(from: text.startIndex, to: rest.startIndex)
        marks += piece.marks.map {
          TextMark(bytes: $0.bytes.lowerBound + start..<$0.bytes.upperBound + start, kind: $0.kind)
        }
        rest = rest.dropFirst(piece.text.count)
      }
      #expect(rest.allSatisfy { $0.isWhitespace })
      #expect(marks == TextMark.all(in: text), "\(text)")
    }
  }

  @Test func findsTheMarkThatNoPostHasRoomFor() {
    let link = "https://example.com/" + String(repeating: "a", count: 290)
    #expect(RichText.longMark(in: "see \(link), please").map(String.init) == link)
    #expect(RichText.longMark(in: "see \(link.dropLast(20)) " + String(repeating: "a ", count: 300)) == nil)
  }

  @Test func endsSentencesAfterClosingQuotes() {
    let text = String(repeating: "a ", count: 120) + "\"Really?\" " + String(repeating: "b ", count: 60)
    #expect(RichText.pieces(of: text)[0].text.hasSuffix("\"Really?\""))
  }
}
