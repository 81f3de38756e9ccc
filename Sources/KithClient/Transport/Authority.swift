// SPDX-License-Identifier: Apache-2.0

/// The host of a URL, with or without a port.
package struct Authority: Hashable {
  /// In lower case, without brackets and without the dot of the root.
  package let host: String
  /// The port as written; nil for the scheme's default.
  package let port: String?

  /// Parses `host`, `host:port` or `[IPv6]:port`.
  ///
  /// Nil if there is user information, or a character that could make a transport see another host
  /// than the caller.
  package init?(_ text: String) {
    var host = Array(text.utf8)[...]
    var port: ArraySlice<UInt8>?
    guard host.allSatisfy(Self.isAllowed) else { return nil }
    if let colon = host.lastIndex(of: UInt8(ascii: ":")), !host[colon...].contains(UInt8(ascii: "]")) {
      port = host[(colon + 1)...]
      host = host[..<colon]
    }
    if host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(UInt8(ascii: ":")) {
      return nil
    }
    if host.last == UInt8(ascii: ".") { host = host.dropLast() }
    guard !host.isEmpty, !host.contains(UInt8(ascii: "[")), !host.contains(UInt8(ascii: "]")),
      port?.allSatisfy({ (0x30...0x39).contains($0) }) != false
    else { return nil }
    self.host = String(
      decoding: host.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    self.port = port.map { String(decoding: $0, as: UTF8.self) }
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case 0...0x20, 0x7f, UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "\\"),
      UInt8(ascii: "@"), UInt8(ascii: "%"):
      false
    default: true
    }
  }

  /// Whether it is the default port of https, written or not.
  package var hasPortOfHTTPS: Bool { port.map { $0.isEmpty || Int($0) == 443 } ?? true }
}
