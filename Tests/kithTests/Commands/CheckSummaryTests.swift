// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import Testing

@testable import kith

@Suite struct CheckSummaryTests {
  private func line(_ answers: String, calls: Int = 2, isWhole: Bool = true) throws -> String? {
    var summary = CheckSummary()
    for letter in answers {
      summary.add(try #require(try CheckVerdictTests.Kind(rawValue: letter)?.answer))
    }
    var cost = CallCost()
    cost.calls = calls
    return summary.line(cost, elapsed: .milliseconds(310), isWhole: isWhole)
  }

  @Test func countsEveryKindOfAnswer() throws {
    #expect(
      try line("ynsmbfryy")
        == "9 checked: 3 following, 0 followed by, 0 mutual, 0 blocked, 1 not found, 3 errors; 2 calls, 0.310 s"
    )
    #expect(
      try line("yf", calls: 1)
        == "2 checked: 1 following, 0 followed by, 0 mutual, 0 blocked, 0 not found, 1 error; 1 call, 0.310 s"
    )
  }

  @Test(arguments: [("", true), ("y", true), ("f", true), ("", false)])
  func sumsUpNothingThatSpeaksForItself(answers: String, isWhole: Bool) throws {
    #expect(try line(answers, isWhole: isWhole) == nil)
  }

  @Test func sumsUpWhatABatchHadSoFarWhenItWasEnded() throws {
    let line = try #require(try line("y", isWhole: false))
    #expect(line.hasPrefix("1 checked: 1 following, "))
    #expect(line.hasSuffix("; interrupted, so that the rest was not asked"))
  }
}
