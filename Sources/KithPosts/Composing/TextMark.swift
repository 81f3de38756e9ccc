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

extension RichText {
  /// Creates a text with the facets of what it names. A mention of an account that is not given stays plain text.
  public init(_ text: String, marks: [TextMark], accounts: [Handle: DID]) {
    self.init(
      text,
      facets: marks.compactMap { mark in
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
      guard place == word.lowerBound || scalars[place - 1] == "(" else {
        place += 1
        continue
      }
      if let (mark, end) = mention(at: place, in: word) ?? cashtag(at: place, in: word) {
        found.append(mark)
        place = end
      } else if let scheme = scheme(at: place, in: word) {
        // An address reaches to the end of its word.
        if let mark = link(place..<word.upperBound, scheme) { found.append(mark) }
        return
      } else {
        place += 1
      }
    }
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
      } else if !".,;:!?\"'”’»".unicodeScalars.contains(last) {
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
    guard end == word.upperBound || "/:?#.,;!)\"'”’»".unicodeScalars.contains(scalars[end]) else {
      return false
    }
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

  /// Whether it is a soft hyphen, a joiner or another invisible mark, which no tag contains.
  fileprivate var endsTag: Bool {
    switch value {
    case 0xAD, 0x200A...0x200D, 0x2060, 0x20E2: true
    default: false
    }
  }
}
