// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore
internal import KithCrypto

/// The address of a picture as an AppView gave it, which any account may have chosen.
struct PictureAddress: Sendable, Hashable, CustomStringConvertible {
  static let mostBytes = 2_000
  /// Where Bluesky's AppView, and most others, have the pictures of all accounts.
  private static let commonHost = "cdn.bsky.app"
  /// The domains of Bluesky's own AppView, whose servers have no pictures themselves.
  private static let blueskyDomains = ["bsky.app", "bsky.network"]

  /// The server, without a path.
  let service: ServiceURL
  /// The path and the query.
  let path: String

  /// Parses an absolute URL; nil if it has user information or a fragment, is too long, or has characters that URLs do not have.
  init?(_ text: String) {
    guard text.utf8.count <= Self.mostBytes, text.utf8.allSatisfy(Self.isAllowed),
      let mark = text.firstRange(of: "://")
    else { return nil }
    let host = text[mark.upperBound...].prefix { $0 != "/" && $0 != "?" }
    guard let service = ServiceURL(String(text[..<host.endIndex])) else { return nil }
    self.service = service
    let tail = text[host.endIndex...]
    path = tail.hasPrefix("/") ? String(tail) : "/\(tail)"
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "\\") && byte != UInt8(ascii: "#")
  }

  var description: String { service.origin + path }

  /// Where a connection for the picture may lead; nil if its host is not asked for pictures.
  func reach(for appview: ServiceURL) -> TransportRequest.Reach? {
    // A network on this machine has its pictures at a PDS on another port.
    if appview.isLoopback, service.host == appview.host { return .anywhere }
    guard service.scheme == "https", service.port == nil else { return nil }
    if service.host == Self.commonHost { return .publicOnly }
    let isBluesky = Self.blueskyDomains.contains {
      appview.host == $0 || appview.host.hasSuffix(".\($0)")
    }
    return service.host == appview.host && !isBluesky ? .publicOnly : nil
  }

  /// The name of the picture's file in a cache; nil if the address does not name the content by its CID, so that the picture
  /// may change.
  var fileName: String? {
    let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    // `…/did:plc:…/bafkrei…@jpeg` of a CDN, and `…getBlob?did=…&cid=bafkrei…` of a PDS.
    let places = parts[0].split(separator: "/").map { $0.prefix { $0 != "@" && $0 != "." } }
    let values = parts.dropFirst().flatMap { $0.split(separator: "&") }
      .filter { $0.hasPrefix("cid=") }.map { $0.dropFirst("cid=".count) }
    guard (places + values).contains(where: { CID(String($0))?.bytes != nil }) else { return nil }
    return SHA256.digits(of: Array(description.utf8))
  }
}
