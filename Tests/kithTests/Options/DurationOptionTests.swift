// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import kith

@Suite struct DurationOptionTests {
  @Test(
    arguments: [
      ("45s", 45), ("90m", 5_400), ("12h", 43_200), ("7d", 604_800), ("2w", 1_209_600),
      ("6mo", 15_552_000), ("1y", 31_557_600),
    ])
  func readsANumberAndItsUnit(text: String, seconds: Int) throws {
    #expect(try DurationOption(parsing: text).duration == .seconds(seconds))
  }

  @Test(arguments: [
    "", "d", "7", "7 d", "0d", "-1d", "1.5d", "11y", "mo", "99999999999999999999d", "4000d", "٧d",
  ])
  func rejectsInvalidSpans(text: String) {
    #expect(throws: (any Error).self) { try DurationOption(parsing: text) }
  }
}
