// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Relationships
import Testing

@testable import kith

@Suite struct PointOptionsTests {
  private func options(_ line: String) throws -> PointOptions {
    try PointOptions.parse(line.split(separator: " ").map(String.init))
  }

  @Test func withoutThemAFifthIsLeftAndCommitsAreFull() throws {
    let options = try options("").runnerOptions
    #expect(options == JobRunner.Options())
    #expect(options.allowance.leave == 20 && options.writesPerCommit == 200 && !options.stopsWhenShort)
  }

  @Test func eachIsRead() throws {
    let options = try options("--leave 5% --points 60/900 --no-wait --commit-size 10").runnerOptions
    #expect(
      options
        == JobRunner.Options(
          allowance: PointAllowance(perHour: 60, perDay: 900, leave: 5), stopsWhenShort: true,
          writesPerCommit: 10))
  }

  @Test(arguments: [
    ("--commit-size 0", "--commit-size takes a whole number from 1 to 200, not 0"),
    ("--commit-size 201", "--commit-size takes"), ("--points 60", "such as 5000/35000"),
    ("--points 60/59", "no fewer than the hour"), ("--leave 101%", "such as 0.3 or 30%"),
    ("--leave 100%", "at most 99%"),
  ])
  func wrongValuesAreNamedWithTheWayOut(line: String, words: String) {
    let error = #expect(throws: (any Error).self) { try options(line) }
    #expect(error.map { PointOptions.fullMessage(for: $0) }?.contains(words) == true)
  }
}
