// SPDX-License-Identifier: Apache-2.0

internal import KithClient

/// Title, description and picture in the head of an HTML page: those meant for cards (`og:title`), else those of the page.
struct PageWords {
  private var found: [String: String] = [:]

  var title: String? { found["og:title"] ?? found["twitter:title"] ?? found["title"] }

  var description: String? {
    found["og:description"] ?? found["twitter:description"] ?? found["description"]
  }

  var picture: String? { found["og:image"] ?? found["og:image:url"] ?? found["twitter:image"] }

  /// The address that others of the page are relative to, if it is another one than that of the page.
  var base: String? { found["base"] }

  /// How it says that it is encoded.
  var charset: String? { found["charset"] }

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
      case "meta": keep(Self.tag(&rest))
      case "base": if let address = Self.tag(&rest)["href"] { keep("base", address) }
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

  private mutating func keep(_ meta: [String: String]) {
    if let charset = meta["charset"] { keep("charset", charset) }
    guard let content = meta["content"] else { return }
    if let key = meta["property"] ?? meta["name"] { keep(key.lowercased(), content) }
    if meta["http-equiv"]?.lowercased() == "content-type", let charset = MediaType.charset(of: content) {
      keep("charset", charset)
    }
  }

  private mutating func keep(_ key: String, _ words: String) {
    guard found[key] == nil else { return }
    let text = HTMLEntities.unescaped(words).split(whereSeparator: \.isWhitespace).joined(separator: " ")
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
      attributes[name.lowercased()] = value(&rest)
    }
  }

  private static func value(_ rest: inout Substring) -> String {
    let value: Substring
    if let quote = rest.first, quote == "\"" || quote == "'" {
      rest = rest.dropFirst()
      value = rest.prefix { $0 != quote }
      rest = rest[value.endIndex...].dropFirst()
    } else {
      value = rest.prefix { !$0.isWhitespace && $0 != ">" }
      rest = rest[value.endIndex...]
    }
    return String(value)
  }
}

extension Substring {
  /// What follows the end of an element whose text is not HTML; nothing if it does not end.
  fileprivate func after(end name: String) -> Substring {
    var rest = self
    while let end = rest.firstRange(of: "</") {
      rest = rest[end.upperBound...]
      if rest.prefix(name.count).lowercased() == name { return rest }
    }
    return rest[rest.endIndex...]
  }
}
