// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// The address of a page, to which others are relative (RFC 3986).
struct WebAddress {
  private let scheme: Substring
  private let host: Substring
  /// Begins with a slash.
  private let path: Substring

  /// Nil for an address without a host.
  init?(_ page: URI) {
    let text = "\(page)"
    guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { return nil }
    scheme = text[..<colon]
    let rest = text[colon...].dropFirst(3)
    host = rest.prefix { !"/?#".contains($0) }
    let path = rest[host.endIndex...].prefix { !"?#".contains($0) }
    self.path = path.isEmpty ? "/" : path
  }

  /// The address that a page means; nil if it is not one.
  func resolve(_ text: String) -> URI? {
    let name = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    if !name.isEmpty, text[name.endIndex...].first == ":" { return URI(text) }
    if text.hasPrefix("//") { return URI("\(scheme):\(text)") }
    let tail = text.prefix { !"?#".contains($0) }
    let rest = text[tail.endIndex...]
    let path: String
    switch tail.first {
    case nil: path = String(self.path)
    case "/": path = Self.withoutDots(tail)
    default:
      path = Self.withoutDots(
        self.path.prefix(through: self.path.lastIndex(of: "/") ?? self.path.startIndex) + tail)
    }
    return URI("\(scheme)://\(host)\(path)\(rest)")
  }

  private static func withoutDots(_ path: some StringProtocol) -> String {
    var parts: [Substring] = []
    let names = Substring(path).split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    for (place, name) in names.enumerated() {
      switch name {
      case ".", "..":
        if name == ".." { _ = parts.popLast() }
        if place == names.count - 1 { parts.append("") }
      default: parts.append(name)
      }
    }
    return "/" + parts.joined(separator: "/")
  }
}
