// SPDX-License-Identifier: Apache-2.0

import KithCore
import Testing

@Suite struct ShortenedTests {
  @Test(arguments: [
    ("", 3, ""), ("abc", 3, "abc"), ("abcd", 3, "abc…"), ("äö", 4, "äö"), ("äö", 3, "ä…"), ("äö", 1, "…"),
    ("日本", 5, "日…"), ("👩‍👧", 5, "👩…"), ("a", 0, "…"), ("", 0, ""),
  ]) func cutsBetweenScalars(text: String, most: Int, short: String) {
    #expect(text.shortened(toBytes: most) == short)
    #expect(Substring(text).shortened(toBytes: most) == short)
  }
}
