// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithRelationships
import KithWriting
import Testing

@testable import kith

@Suite struct PointOptionsTests {
  private func options(_ line: String) throws -> PointOptions {
    try PointOptions.parse(line.split(separator: " ").map(String.init))
  }

  @Test func withoutOptionsAFifthIsKeptFreeAndCommitsAreFull() throws {
    let options = try options("")
    #expect(options.limit == nil && WriteLimit().leave == 20)
    let runner = options.runnerOptions(patience: .seconds(30))
    #expect(runner == JobOptions(patience: .seconds(30)))
    #expect(runner.writesPerCommit == 200 && !runner.stopsWhenShort)
  }

  @Test func eachIsRead() throws {
    let options = try options("--leave 5% --points 60/900 --no-wait --patience 2m --commit-size 10")
    var expected = JobOptions(
      limit: WriteLimit(perHour: 60, perDay: 900, leave: 5), stopsWhenShort: true,
      patience: .seconds(120), writesPerCommit: 10)
    expected.longestWait = .seconds(120)
    #expect(options.runnerOptions(patience: .seconds(30)) == expected)
  }

  @Test(arguments: [
    "--commit-size 0", "--commit-size 201", "--points 60", "--points 60/59", "--leave 101%", "--leave 100%",
  ])
  func refusesWrongValues(line: String) {
    let error = #expect(throws: (any Error).self) { try options(line) }
    #expect(error.map { PointOptions.exitCode(for: $0).rawValue } == kith.ExitStatus.usage.rawValue)
  }
}
