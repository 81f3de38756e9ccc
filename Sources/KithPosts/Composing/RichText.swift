// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// A text with its mentions, links and tags (lexicons `app.bsky.feed.post`, `app.bsky.richtext.facet`).
public struct RichText: Sendable, Hashable {
  /// A part of the text that stands for something.
  public struct Facet: Sendable, Hashable {
    /// What a part of a text stands for.
    public enum Feature: Sendable, Hashable {
      /// An account, written `@` and its handle.
      case mention(DID)
      /// An address.
      case link(URI)
      /// A tag without its `#`, or a cashtag with its `$`.
      case tag(String)
    }

    /// The part, in bytes of UTF-8.
    public let bytes: Range<Int>
    /// What it stands for.
    public let feature: Feature

    /// Creates a facet. Where it does not fit the text, the text leaves it out.
    public init(_ bytes: Range<Int>, _ feature: Feature) {
      (self.bytes, self.feature) = (bytes, feature)
    }
  }

  /// The text. That of a stranger's post is untrusted.
  public let text: String
  /// Its facets, in order; they do not overlap, and begin and end between two characters of the text.
  public let facets: [Facet]

  /// Creates a text with facets. As readers do, it leaves out those that are empty, that reach beyond the text or into a
  /// character, and those that overlap an earlier one.
  public init(_ text: String, facets: [Facet] = []) {
    self.text = text
    let bytes = Array(text.utf8)
    func isBorder(_ offset: Int) -> Bool {
      offset == bytes.count || bytes.indices.contains(offset) && bytes[offset] & 0xC0 != 0x80
    }
    var end = 0
    var kept: [Facet] = []
    for facet in facets.enumerated().sorted(by: {
      ($0.element.bytes.lowerBound, $0.offset) < ($1.element.bytes.lowerBound, $1.offset)
    }).map(\.element)
    where facet.bytes.lowerBound >= end && !facet.bytes.isEmpty
      && isBorder(facet.bytes.lowerBound) && isBorder(facet.bytes.upperBound)
    {
      kept.append(facet)
      end = facet.bytes.upperBound
    }
    self.facets = kept
  }

  /// The first link; nil without one.
  public var firstLink: URI? {
    facets.lazy.compactMap { if case .link(let link) = $0.feature { link } else { nil } }.first
  }
}

extension RichText {
  /// The most graphemes of a post.
  public static let mostGraphemes = 300
  /// The most bytes of a post in UTF-8.
  public static let mostBytes = 3_000

  /// Whether a text is short enough for one post.
  public static func fits(_ text: some StringProtocol) -> Bool {
    text.utf8.count <= mostBytes && text.count <= mostGraphemes
  }

  /// Splits a text into pieces that are each short enough for a post: at the end of a paragraph or a sentence, else
  /// between two words, else within a word, but not within an address, a mention or a tag unless it is too long for a
  /// post itself. The white space at the borders is dropped.
  ///
  /// The marks are those of the whole text, because a cut word may look like something else: `@b.test` after letters is
  /// not a mention, and would be one at the start of a piece. A mark that is too long for a post is left out.
  public static func pieces(of text: String) -> [MarkedText] {
    var marks = TextMark.all(in: text).map { (mark: $0, range: $0.range(in: text)) }[...]
    var pieces: [MarkedText] = []
    var rest = text[...].trimmed
    while !rest.isEmpty {
      let end = rest.endOfPiece(around: marks.lazy.map { $0.range })
      let piece = rest[..<end].trimmed
      let start = text.utf8.distance(from: text.startIndex, to: piece.startIndex)
      let inside = marks.prefix { $0.range.lowerBound < end }
      pieces.append(
        MarkedText(
          String(piece),
          inside.filter { $0.range.lowerBound >= piece.startIndex && $0.range.upperBound <= end }.map {
            TextMark(
              bytes: $0.mark.bytes.lowerBound - start..<$0.mark.bytes.upperBound - start, kind: $0.mark.kind)
          }))
      marks = marks[inside.endIndex...]
      rest = rest[end...].trimmed
    }
    return pieces
  }

  /// The first address, mention or tag of a text that is too long for a post; nil if there is none.
  package static func longMark(in text: String) -> Substring? {
    TextMark.all(in: text).lazy.map { text[$0.range(in: text)] }.first { !fits($0) }
  }
}

extension TextMark {
  /// Where it stands in its text.
  fileprivate func range(in text: String) -> Range<String.Index> {
    let start = text.utf8.index(text.startIndex, offsetBy: bytes.lowerBound)
    return start..<text.utf8.index(start, offsetBy: bytes.count)
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    guard let first = firstIndex(where: { !$0.isWhitespace }),
      let last = lastIndex(where: { !$0.isWhitespace })
    else { return self[endIndex...] }
    return self[first...last]
  }

  /// Where the first piece of a thread ends.
  ///
  /// - Parameter marks: where a piece must not end within, in order, none before the beginning.
  fileprivate func endOfPiece(around marks: some Sequence<Range<Index>>) -> Index {
    var (most, bytes, graphemes) = (startIndex, 0, 0)
    var (word, sentence, paragraph): (Index?, Index?, Index?)
    var former: (last: Character, beforeClosing: Character) = (" ", " ")
    var later = marks.makeIterator()
    var mark = later.next()
    while most < endIndex {
      let character = self[most]
      bytes += character.utf8.count
      graphemes += 1
      // A single grapheme may be longer than a post.
      guard graphemes == 1 || bytes <= RichText.mostBytes && graphemes <= RichText.mostGraphemes else {
        break
      }
      if character.isWhitespace {
        word = most
        if former.last.isNewline, character.isNewline { paragraph = most }
        if former.beforeClosing.endsSentence || character.isNewline { sentence = most }
      }
      if !character.closesQuote { former.beforeClosing = character }
      former.last = character
      formIndex(after: &most)
      while let passed = mark, passed.upperBound <= most { mark = later.next() }
      let isWithinMark = mark.map { $0.lowerBound < most } ?? false
      if "。！？".contains(character), !isWithinMark { sentence = most }
    }
    guard most < endIndex, !self[most].isWhitespace else { return most }
    if let paragraph, distance(from: startIndex, to: paragraph) > RichText.mostGraphemes / 2 {
      return paragraph
    }
    if let mark, startIndex < mark.lowerBound, mark.lowerBound < most { most = mark.lowerBound }
    return sentence ?? word ?? most
  }
}

extension Character {
  fileprivate var endsSentence: Bool { ".!?…。！？".contains(self) }
  fileprivate var closesQuote: Bool { "\"'”’»)]".contains(self) }
}
