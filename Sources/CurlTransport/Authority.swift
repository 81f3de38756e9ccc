// SPDX-License-Identifier: Apache-2.0

import ATProtoClient

/// The host of a URL, with or without a port.
struct Authority: Hashable {
  /// In lower case, without brackets and without the dot of the root.
  let host: String
  /// The port as written; nil for the scheme's default.
  let port: String?

  /// Parses `host`, `host:port` or `[IPv6]:port`.
  ///
  /// Nil if there is user information, or a character that could make libcurl see another host than the
  /// caller.
  init?(_ text: String) {
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
  var hasPortOfHTTPS: Bool { port.map { $0.isEmpty || Int($0) == 443 } ?? true }

  /// Whether the host could be public, judged by its notation.
  ///
  /// Not a name with a single label, or one that only private networks have. A last label of digits makes it
  /// an address in an old notation, which is not trusted; nor are characters that libcurl would map to
  /// others.
  var mayBePublic: Bool {
    if let address = IPAddress(host) { return address.isPublic }
    if host.contains(":") || !host.utf8.allSatisfy({ $0 < 0x80 }) || InternalNames.contain(host) {
      return false
    }
    let last = host.split(separator: ".").last ?? ""
    return !last.hasPrefix("0x") && !last.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }
}
