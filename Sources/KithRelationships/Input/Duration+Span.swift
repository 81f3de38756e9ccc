// SPDX-License-Identifier: Apache-2.0

extension Duration {
  /// The units of a time span, for messages.
  package static let spanUnits = "s, m, h, d, w, mo or y"

  private static let units: [(suffix: String, seconds: Int64)] = [
    ("mo", 30 * 86_400), ("s", 1), ("m", 60), ("h", 3_600), ("d", 86_400), ("w", 604_800), ("y", 31_557_600),
  ]

  /// Parses a time span as people write it: `90m`, `12h`, `7d`, `2w`, `6mo` (30 days each), `1y`.
  ///
  /// - Returns: nil for an invalid span, for zero, and for more than a hundred years.
  package init?(span text: some StringProtocol) {
    guard let unit = Self.units.first(where: { text.hasSuffix($0.suffix) }),
      let count = Int64(text.dropLast(unit.suffix.count)), 1...(100 * 31_557_600 / unit.seconds) ~= count
    else { return nil }
    self = .seconds(count * unit.seconds)
  }
}
