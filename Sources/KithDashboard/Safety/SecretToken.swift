// SPDX-License-Identifier: Apache-2.0

/// A random secret of 256 bits.
struct SecretToken: Sendable {
  /// In hexadecimal digits.
  let text: String

  init(from random: inout some RandomNumberGenerator) {
    text = (0..<4).map { _ in
      let digits = String(random.next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// Whether a text is the secret. It takes as long for each wrong text of that length.
  func isEqual(to other: String?) -> Bool {
    guard let other, other.utf8.count == text.utf8.count else { return false }
    return zip(text.utf8, other.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
