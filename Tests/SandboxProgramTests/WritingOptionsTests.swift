// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithSandbox
import Testing

@testable import kith_sandbox

@Suite struct WritingOptionsTests {
  private func options(_ line: String) throws -> RunCommand {
    try RunCommand.parse(line.split(separator: " ").map(String.init))
  }

  @Test func withoutOptionsThePDSIsTheReference() throws {
    #expect(try options("").writing.writing == SandboxWriting())
  }

  @Test func eachIsRead() throws {
    let line = """
      --access-lifetime 5 --points-per-hour 30 --points-per-day 90 --most-writes 50 --lag 1500 --dialect lenient \
      --with-code judy.test --unindexed bob.test --unindexed carol.test --acknowledgement missing
      """
    #expect(
      try options(line).writing.writing
        == SandboxWriting(
          dialect: .lenient, accessLifetime: .seconds(5), pointsPerHour: 30, pointsPerDay: 90, mostWrites: 50,
          accountsWithCode: [try Handle(parsing: "judy.test")], lag: .milliseconds(1_500),
          unindexed: [try Handle(parsing: "bob.test"), try Handle(parsing: "carol.test")],
          acknowledgement: .missing))
  }

  @Test(arguments: [
    "--access-lifetime 0", "--points-per-hour 0", "--points-per-day 0", "--most-writes 201", "--lag 600001",
    "--with-code judy", "--dialect bsky", "--unindexed judy", "--acknowledgement none",
  ])
  func refusesWrongValues(line: String) {
    let error = #expect(throws: (any Error).self) { try options(line) }
    #expect(error.map { RunCommand.exitCode(for: $0).rawValue } == 64)
  }
}
