// SPDX-License-Identifier: Apache-2.0

extension StringProtocol {
  /// With a capital letter at its beginning.
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

/// Numbers as people read them.
enum Figure {
  /// A dash stands for an unknown number, which is not 0.
  static func words(_ number: Int?) -> String {
    guard let number else { return "—" }
    var (digits, words) = (String(number.magnitude), "")
    while digits.count > 3 {
      words = ",\(digits.suffix(3))\(words)"
      digits.removeLast(3)
    }
    return (number < 0 ? "−" : "") + digits + words
  }
}
