// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import RelationshipWriting
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
          allowance: WriteLimit(perHour: 60, perDay: 900, leave: 5), stopsWhenShort: true,
          writesPerCommit: 10))
  }

  @Test(arguments: [
    "--commit-size 0", "--commit-size 201", "--points 60", "--points 60/59", "--leave 101%", "--leave 100%",
  ])
  func refusesWrongValues(line: String) {
    let error = #expect(throws: (any Error).self) { try options(line) }
    #expect(error.map { PointOptions.exitCode(for: $0).rawValue } == kith.ExitStatus.usage.rawValue)
  }
}
