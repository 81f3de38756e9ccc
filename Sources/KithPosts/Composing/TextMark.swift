// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// What a text seems to name: an account by its handle, an address, or a tag.
public struct TextMark: Sendable, Hashable {
  /// What is named.
  public enum Kind: Sendable, Hashable {
    /// The handle of an account that may not exist.
    case mention(Handle)
    /// An address; one without a scheme is one of `https`.
    case link(URI)
    /// A tag without its `#`, or a cashtag in capitals with its `$`.
    case tag(String)
  }

  /// Where it stands, in bytes of UTF-8.
  public let bytes: Range<Int>
  /// What it names.
  public let kind: Kind

  /// Finds what a text names, by the rules of the Bluesky app, in the order of the text; linear in its length.
  public static func all(in text: String) -> [TextMark] {
    var scanner = MarkScanner(text)
    return scanner.marks()
  }
}

/// A text, or a piece of one, with what it names.
public struct MarkedText: Sendable, Hashable {
  /// The text.
  public let text: String
  /// What it names. The marks of a piece are those of the whole text: the second half of a word names nothing.
  public let marks: [TextMark]

  /// Finds what a text names.
  public init(_ text: String) { self.init(text, TextMark.all(in: text)) }

  init(_ text: String, _ marks: [TextMark]) { (self.text, self.marks) = (text, marks) }
}

extension RichText {
  /// Creates a text with the facets of what it names. A mention of an account that is not given stays plain text.
  public init(_ marked: MarkedText, accounts: [Handle: DID]) {
    self.init(
      marked.text,
      facets: marked.marks.compactMap { mark in
        switch mark.kind {
        case .mention(let handle): accounts[handle].map { Facet(mark.bytes, .mention($0)) }
        case .link(let link): Facet(mark.bytes, .link(link))
        case .tag(let tag): Facet(mark.bytes, .tag(tag))
        }
      })
  }
}

/// Finds marks word by word, where words are what white space separates.
private struct MarkScanner {
  private let scalars: [Unicode.Scalar]
  /// The offset of each scalar in bytes, and the length of the text.
  private let offsets: [Int]
  private var found: [TextMark] = []

  init(_ text: String) {
    scalars = Array(text.unicodeScalars)
    offsets = scalars.reduce(into: [0]) { $0.append($0[$0.count - 1] + UTF8.width($1)) }
  }

  mutating func marks() -> [TextMark] {
    var start = 0
    while start < scalars.count {
      guard !scalars[start].isSpace else {
        start += 1
        continue
      }
      let end = scalars[start...].firstIndex(where: \.isSpace) ?? scalars.count
      scan(start..<end)
      start = end
    }
    return found
  }

  private mutating func scan(_ word: Range<Int>) {
    if let end = tag(at: word.lowerBound, in: word) {
      return found.append(contentsOf: mark(word.lowerBound..<end, .tag(text(word.lowerBound + 1..<end))))
    }
    var place = word.lowerBound
    while place < word.upperBound {
      let isAfterMark = place > word.lowerBound && scalars[place - 1].endsAddress
      guard place == word.lowerBound || scalars[place - 1] == "(" || isAfterMark else {
        place += 1
        continue
      }
      if isAfterMark {
        // In texts without white space only an address with its scheme is sure to begin here.
        guard let scheme = scheme(at: place, in: word), !scheme.isEmpty else {
          place += 1
          continue
        }
        place = addLink(from: place, in: word, scheme)
      } else if let (mark, end) = mention(at: place, in: word) ?? cashtag(at: place, in: word) {
        found.append(mark)
        place = end
      } else if let scheme = scheme(at: place, in: word) {
        place = addLink(from: place, in: word, scheme)
      } else {
        place += 1
      }
    }
  }

  /// Adds an address, which reaches to the end of its word or to punctuation that no address has.
  ///
  /// - Returns: where it ends.
  private mutating func addLink(from start: Int, in word: Range<Int>, _ scheme: String) -> Int {
    let end = run(from: start, in: word) { !$0.endsAddress }
    if let mark = link(start..<end, scheme) { found.append(mark) }
    return end
  }

  // MARK: Kinds

  private func mention(at start: Int, in word: Range<Int>) -> (TextMark, Int)? {
    guard scalars[start] == "@" else { return nil }
    var end = run(from: start + 1, in: word) { $0.isASCIILetterOrDigit || $0 == "." || $0 == "-" }
    while end > start + 1, !scalars[end - 1].isASCIILetterOrDigit { end -= 1 }
    guard let handle = Handle(text(start + 1..<end)) else { return nil }
    return (TextMark(bytes: bytes(start..<end), kind: .mention(handle)), end)
  }

  private func cashtag(at start: Int, in word: Range<Int>) -> (TextMark, Int)? {
    guard scalars[start] == "$" else { return nil }
    let end = run(from: start + 1, in: word, where: \.isASCIILetterOrDigit)
    guard (1...5).contains(end - start - 1), scalars[start + 1].isASCIILetter,
      end == word.upperBound || ".,;:!?)\"'’".unicodeScalars.contains(scalars[end])
    else { return nil }
    return (TextMark(bytes: bytes(start..<end), kind: .tag(text(start..<end).uppercased())), end)
  }

  /// The end of a tag that begins here.
  private func tag(at start: Int, in word: Range<Int>) -> Int? {
    guard scalars[start] == "#" || scalars[start] == "＃", start + 1 < word.upperBound,
      !["#", "＃", "\u{FE0F}", "\u{20E3}"].contains(scalars[start + 1])
    else { return nil }
    var end = run(from: start + 1, in: word) { !$0.endsTag }
    while end > start + 1, scalars[end - 1].isPunctuation { end -= 1 }
    let body = scalars[start + 1..<end]
    guard body.contains(where: { !$0.isPunctuation && $0.properties.generalCategory != .decimalNumber })
    else {
      return nil
    }
    return end
  }

  private func mark(_ range: Range<Int>, _ kind: TextMark.Kind) -> [TextMark] {
    if case .tag(let tag) = kind, tag.count > 64 || tag.utf8.count > 640 { return [] }
    return [TextMark(bytes: bytes(range), kind: kind)]
  }

  private func link(_ word: Range<Int>, _ scheme: String) -> TextMark? {
    var end = word.upperBound
    var closings = scalars[word].count { $0 == ")" } - scalars[word].count { $0 == "(" }
    // What follows an address in a sentence is not part of it; a bracket is, if it was opened there.
    while end > word.lowerBound {
      let last = scalars[end - 1]
      if last == ")", closings > 0 {
        closings -= 1
      } else if !".,;:!?\"'".unicodeScalars.contains(last), !last.isForeignPunctuation {
        break
      }
      end -= 1
    }
    let words = text(word.lowerBound..<end)
    guard scheme.isEmpty || words.count > scheme.count,
      let uri = URI(scheme.isEmpty ? "https://\(words)" : words)
    else { return nil }
    return TextMark(bytes: bytes(word.lowerBound..<end), kind: .link(uri))
  }

  /// The scheme of an address that begins here, empty for a host without one; nil for anything else.
  private func scheme(at start: Int, in word: Range<Int>) -> String? {
    let words = text(start..<min(start + 8, word.upperBound)).lowercased()
    return ["https://", "http://"].first(where: words.hasPrefix) ?? (hasHost(at: start, in: word) ? "" : nil)
  }

  /// Whether a name of a host begins here, as one writes it without a scheme.
  private func hasHost(at start: Int, in word: Range<Int>) -> Bool {
    guard scalars[start].isASCIILetter else { return false }
    var end = run(from: start, in: word) { $0.isASCIILetterOrDigit || $0 == "." || $0 == "-" }
    guard
      end == word.upperBound || "/:?#.,;!)\"'”’»".unicodeScalars.contains(scalars[end])
        || scalars[end].endsAddress
    else { return false }
    while end > start, scalars[end - 1] == "." { end -= 1 }
    let labels = text(start..<end).split(separator: ".", omittingEmptySubsequences: false)
    return labels.count > 1 && labels.allSatisfy { !$0.isEmpty && !$0.hasPrefix("-") && !$0.hasSuffix("-") }
      && TopLevelDomains.contains(labels[labels.count - 1])
  }

  // MARK: Parts

  private func run(from start: Int, in word: Range<Int>, where holds: (Unicode.Scalar) -> Bool) -> Int {
    var end = start
    while end < word.upperBound, holds(scalars[end]) { end += 1 }
    return end
  }

  private func bytes(_ range: Range<Int>) -> Range<Int> {
    offsets[range.lowerBound]..<offsets[range.upperBound]
  }

  private func text(_ range: Range<Int>) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars[range])
    return String(view)
  }
}

extension Unicode.Scalar {
  fileprivate var isSpace: Bool { properties.isWhitespace || self == "\u{FEFF}" }

  fileprivate var isASCIILetter: Bool { ("a"..."z").contains(self) || ("A"..."Z").contains(self) }

  fileprivate var isASCIILetterOrDigit: Bool { isASCIILetter || ("0"..."9").contains(self) }

  fileprivate var isPunctuation: Bool {
    switch properties.generalCategory {
    case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
      .finalPunctuation, .otherPunctuation:
      true
    default: false
    }
  }

  /// Whether it is punctuation outside of ASCII, which can stand within an address, but not at its end. Dashes can.
  fileprivate var isForeignPunctuation: Bool {
    !isASCII && isPunctuation && properties.generalCategory != .dashPunctuation
      && properties.generalCategory != .connectorPunctuation
  }

  /// Whether it ends a sentence, a part of one or a quotation in a script without white space, so that an address ends before
  /// it. A dot between names (`・`) is not of these: titles of pages have it.
  fileprivate var endsAddress: Bool {
    switch value {
    case 0x3001...0x3003, 0x3008...0x3011, 0x3014...0x301B, 0x301D...0x301F, 0x2025, 0x2026, 0xFE10...0xFE19,
      0xFE50...0xFE57, 0xFF01, 0xFF08, 0xFF09, 0xFF0C, 0xFF0E, 0xFF1A, 0xFF1B, 0xFF1F, 0xFF3B, 0xFF3D, 0xFF5B,
      0xFF5D, 0xFF5F...0xFF64, 0x060C, 0x061B, 0x061F, 0x06D4, 0x0964, 0x0965:
      true
    default: false
    }
  }

  /// Whether it is a soft hyphen, a joiner or another invisible mark, which no tag contains.
  fileprivate var endsTag: Bool {
    switch value {
    case 0xAD, 0x200A...0x200D, 0x2060, 0x20E2: true
    default: false
    }
  }
}
