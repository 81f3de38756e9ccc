// SPDX-License-Identifier: Apache-2.0

public import KithClient
public import KithCore

extension PostDraft.Card {
  /// What is read of a page at most: titles stand at its beginning.
  static let mostPageBytes = 512 << 10
  private static let mostTitle = 300
  private static let mostDescription = 1_000

  /// Reads what a page says about itself. Its host learns the address of this machine.
  ///
  /// - Returns: nil unless it is an HTML page with a title.
  /// - Throws: `TransportError` if it cannot be reached, or must not be: only https on public addresses; `CancellationError`.
  public init?(of link: URI, over transport: any HTTPTransport) async throws {
    let page = try await PageBeginning(at: link, most: Self.mostPageBytes, over: transport)
    guard (200..<300).contains(page.status), ["text/html", "application/xhtml+xml"].contains(page.mediaType)
    else {
      return nil
    }
    self.init(of: link, page: page.bytes)
  }

  /// Reads what the beginning of a page says about it; nil without a title.
  init?(of link: URI, page: [UInt8]) {
    let words = PageWords(String(decoding: page, as: UTF8.self))
    guard let title = words.title, !title.isEmpty else { return nil }
    self.init(
      link, title: title.shortened(to: Self.mostTitle),
      description: (words.description ?? "").shortened(to: Self.mostDescription))
    picture = words.picture.flatMap { Self.address($0, on: link) }
  }

  /// The address that a page names, which may leave out its own host.
  private static func address(_ text: String, on page: URI) -> URI? {
    let scheme = "https:"
    if text.hasPrefix("//") { return URI(scheme + text) }
    guard text.hasPrefix("/") else { return URI(text) }
    let host = "\(page)".dropFirst(scheme.count + 2).prefix { !"/?#".contains($0) }
    return URI("\(scheme)//\(host)\(text)")
  }

  /// Reads the picture of the page, on a host that the page names: only https on public addresses.
  ///
  /// - Returns: the picture without its metadata; nil if the page has none, or one that a card cannot have: larger than
  ///   ``mostPictureBytes``, of another type, or one that has to be turned.
  /// - Throws: `TransportError`, `CancellationError`.
  public func loadedPicture(over transport: any HTTPTransport) async throws -> KithPosts.Picture? {
    guard let picture else { return nil }
    let file = try await PageBeginning(
      at: picture, most: Self.mostPictureBytes + 1, accepting: "image/jpeg, image/png, image/webp",
      over: transport)
    guard (200..<300).contains(file.status), file.bytes.count <= Self.mostPictureBytes,
      let clean = try? KithPosts.Picture(file.bytes), clean.bytes.count <= Self.mostPictureBytes
    else { return nil }
    return clean
  }
}

/// Title, description and picture in the head of an HTML page: those meant for cards (`og:title`), else those of the page.
private struct PageWords {
  private var found: [String: String] = [:]

  var title: String? { found["og:title"] ?? found["twitter:title"] ?? found["title"] }

  var description: String? {
    found["og:description"] ?? found["twitter:description"] ?? found["description"]
  }

  var picture: String? { found["og:image"] ?? found["og:image:url"] ?? found["twitter:image"] }

  init(_ page: String) {
    var rest = page[...]
    while let open = rest.firstIndex(of: "<") {
      rest = rest[open...].dropFirst()
      if rest.hasPrefix("!--") {
        rest = rest.firstRange(of: "-->").map { rest[$0.upperBound...] } ?? rest[rest.endIndex...]
        continue
      }
      let name = rest.prefix { $0.isASCII && ($0.isLetter || $0 == "/") }.lowercased()
      switch name {
      case "meta":
        let tag = Self.tag(&rest)
        guard let key = (tag["property"] ?? tag["name"])?.lowercased(), let content = tag["content"] else {
          continue
        }
        keep(key, content)
      case "title":
        _ = Self.tag(&rest)
        keep("title", String(rest.prefix { $0 != "<" }))
      case "script", "style":
        // Their text may look like tags.
        rest = rest.after(end: name)
      case "/head", "body": return
      default: continue
      }
    }
  }

  private mutating func keep(_ key: String, _ words: String) {
    guard found[key] == nil else { return }
    let text = Self.unescaped(words).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    if !text.isEmpty { found[key] = text }
  }

  /// Reads the attributes of a tag up to its end.
  private static func tag(_ rest: inout Substring) -> [String: String] {
    var attributes: [String: String] = [:]
    rest = rest.drop { $0.isLetter }
    while true {
      rest = rest.drop { $0.isWhitespace || $0 == "/" }
      guard let next = rest.first, next != ">" else {
        rest = rest.dropFirst()
        return attributes
      }
      let name = rest.prefix { !$0.isWhitespace && !"=>/".contains($0) }
      rest = rest[name.endIndex...].drop(while: \.isWhitespace)
      guard rest.first == "=" else {
        // A sign that belongs nowhere.
        if name.isEmpty { rest = rest.dropFirst() }
        continue
      }
      rest = rest.dropFirst().drop(while: \.isWhitespace)
      let value: Substring
      if let quote = rest.first, quote == "\"" || quote == "'" {
        rest = rest.dropFirst()
        value = rest.prefix { $0 != quote }
        rest = rest[value.endIndex...].dropFirst()
      } else {
        value = rest.prefix { !$0.isWhitespace && $0 != ">" }
        rest = rest[value.endIndex...]
      }
      attributes[name.lowercased()] = String(value)
    }
  }

  private static let entities: [Substring: String] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ", "ndash": "–", "mdash": "—",
    "hellip": "…",
    "laquo": "«", "raquo": "»", "ldquo": "“", "rdquo": "”", "lsquo": "‘", "rsquo": "’",
  ]

  private static func unescaped(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let start = rest.firstIndex(of: "&") {
      result += rest[..<start]
      rest = rest[start...]
      let name = rest.dropFirst().prefix(10).prefix { $0 != ";" }
      guard rest[name.endIndex...].first == ";", let character = character(named: name) else {
        result += "&"
        rest = rest.dropFirst()
        continue
      }
      result += character
      rest = rest[name.endIndex...].dropFirst()
    }
    return result + rest
  }

  private static func character(named name: Substring) -> String? {
    guard name.hasPrefix("#") else { return entities[name] }
    let digits = name.dropFirst()
    let number = digits.lowercased().hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return number.flatMap(Unicode.Scalar.init).map { String(Character($0)) }
  }
}

extension Substring {
  /// What follows the end of an element whose text is no HTML; nothing if it does not end.
  fileprivate func after(end name: String) -> Substring {
    var rest = self
    while let end = rest.firstRange(of: "</") {
      rest = rest[end.upperBound...]
      if rest.prefix(name.count).lowercased() == name { return rest }
    }
    return rest[rest.endIndex...]
  }
}

extension String {
  /// The text, or its beginning and an ellipsis if it has more graphemes.
  fileprivate func shortened(to most: Int) -> String {
    count <= most ? self : prefix(most - 1) + "…"
  }
}
