// SPDX-License-Identifier: Apache-2.0

/// The value of `User-Agent`.
package enum UserAgent {
  /// Returns the product, with the contact in parentheses, without control characters, which would break the
  /// field.
  package static func value(product: String, contact: String? = nil) -> String {
    let text = product + (contact.map { " (+\($0))" } ?? "")
    return String(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7f })
  }
}
