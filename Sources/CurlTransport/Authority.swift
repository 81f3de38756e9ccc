// SPDX-License-Identifier: Apache-2.0

/// The host of a URL, with or without a port.
struct Authority: Hashable {
  /// Lower case, without brackets and without the dot of the root.
  let host: String
  /// The port as written; nil for the scheme's own.
  let port: String?

  /// Splits `host`, `host:port` or `[IPv6]:port`.
  ///
  /// Nil for user information and for characters with which libcurl might see another host than the caller
  /// did.
  init?(_ text: String) {
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f && !"/?#\\@%".utf8.contains($0) }) else {
      return nil
    }
    var host = text[...]
    var port: Substring?
    if let colon = text.lastIndex(of: ":"), text[colon...].firstIndex(of: "]") == nil {
      host = text[..<colon]
      port = text[text.index(after: colon)...]
    }
    if host.first == "[", host.last == "]" {
      host = host.dropFirst().dropLast()
    } else if host.contains(where: { "[]:".contains($0) }) {
      return nil
    }
    if host.last == "." { host.removeLast() }
    guard !host.isEmpty, port?.utf8.allSatisfy({ (0x30...0x39).contains($0) }) != false else { return nil }
    self.host = host.lowercased()
    self.port = port.map(String.init)
  }

  /// Whether the host could be a public one, as far as its notation tells; names are given the benefit.
  ///
  /// A last label of digits makes it an address in one of the old notations, which are not trusted.
  var mayBePublic: Bool {
    if let address = IPAddress(host) { return address.isPublic }
    if host == "localhost" || host.hasSuffix(".localhost") || host.contains(":") { return false }
    let last = host.split(separator: ".").last ?? ""
    return !last.hasPrefix("0x") && !last.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }
}
