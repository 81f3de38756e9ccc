// SPDX-License-Identifier: Apache-2.0

/// Domain names outside the public DNS.
package enum InternalNames {
  /// The last labels of such names <https://www.iana.org/assignments/special-use-domain-names>, and those
  /// used by private networks.
  private static let suffixes: Set<Substring> = [
    "alt", "arpa", "corp", "example", "home", "internal", "intranet", "invalid", "lan", "local",
    "localdomain",
    "localhost", "onion", "private", "test",
  ]

  /// Returns whether a name is one of them, or has a single label.
  ///
  /// - Parameter name: In lower case, without the dot of the root.
  package static func contain(_ name: some StringProtocol) -> Bool {
    guard let dot = name.lastIndex(of: ".") else { return true }
    return suffixes.contains(Substring(String(name[name.index(after: dot)...])))
  }
}
