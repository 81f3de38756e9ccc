// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import KithCore

/// A page for people in place of a response of the protocol: of a proxy, a firewall or a captive portal. Only
/// its title says something; the rest is markup.
struct WebPage {
  /// The text of the page's title; nil if it has none.
  let title: String?

  /// Recognizes a page by its content type or its beginning; nil for any other response.
  init?(type: String?, text: String) {
    let start = text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }.prefix(15).lowercased()
    let isDeclared = type.map {
      ["text/html", "application/xhtml"].contains(where: $0.lowercased().hasPrefix)
    }
    guard isDeclared == true || start.hasPrefix("<!doctype html") || start.hasPrefix("<html") else {
      return nil
    }
    title = Self.title(in: text)
  }

  /// What the page is, as a phrase that quotes its title.
  var words: String { title.map { "a web page: \($0)" } ?? "a web page" }

  private static func title(in text: String) -> String? {
    // Lower case of ASCII only, so that both texts have the same length.
    let bytes = Array(text.utf8)
    let lower = bytes.map { 65...90 ~= $0 ? $0 + 32 : $0 }
    guard let tag = lower.firstRange(of: Array("<title".utf8)),
      let open = lower[tag.upperBound...].firstIndex(of: UInt8(ascii: ">")),
      let close = lower[open...].firstRange(of: Array("</title".utf8))
    else { return nil }
    let title = String(decoding: bytes[(open + 1)..<close.lowerBound], as: UTF8.self)
    let words = decoded(title).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return words.isEmpty ? nil : words
  }

  /// Replaces the character references that titles contain; `&amp;` last, because it makes others.
  private static func decoded(_ text: String) -> String {
    let references = [
      ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " "), ("&amp;", "&"),
    ]
    return references.reduce(text) { $0.replacing($1.0, with: $1.1) }
  }
}
