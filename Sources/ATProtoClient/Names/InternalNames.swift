// SPDX-License-Identifier: Apache-2.0

/// Domain names that have no place in the public DNS.
package enum InternalNames {
  /// The last labels of such names <https://www.iana.org/assignments/special-use-domain-names>, and those that
  /// private networks use.
  private static let suffixes: Set<Substring> = [
    "alt", "arpa", "corp", "example", "home", "internal", "intranet", "invalid", "lan", "local",
    "localdomain",
    "localhost", "onion", "private", "test",
  ]

  /// Whether a name is one of them, or has a single label.
  ///
  /// - Parameter name: in lower case, without the dot of the root.
  package static func contain(_ name: some StringProtocol) -> Bool {
    guard let dot = name.lastIndex(of: ".") else { return true }
    return suffixes.contains(Substring(String(name[name.index(after: dot)...])))
  }
}
