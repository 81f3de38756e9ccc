// SPDX-License-Identifier: Apache-2.0

/// Two whole numbers written as `3000/300`.
struct NumberPair: Sendable, Hashable {
  let first: Int
  let second: Int

  /// Nil for any other text.
  init?(_ text: String) {
    let numbers = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard numbers.count == 2, let first = numbers[0], let second = numbers[1] else { return nil }
    (self.first, self.second) = (first, second)
  }
}
