// SPDX-License-Identifier: Apache-2.0

import KithClient

extension Authority {
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
