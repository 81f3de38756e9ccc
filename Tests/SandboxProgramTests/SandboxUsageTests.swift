// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import TestSupport
import Testing

@testable import kith_sandbox

/// What the program says about itself and about wrong options, in `errors.txt` and `help.txt` (`make wording`
/// writes them).
@Suite struct SandboxUsageTests {
  private static let wrongLines = [
    "--history 10001",
    "--fault-rate 1.5",
    "--fault-rate 101%",
    "--fault-rate nan",
    "--fault-rate x",
    "--fault-rate %",
    "--fault-rate 1 --faults 500,504",
    "--fault-rate 1 --faults 500,",
    "--faults 500",
    "--fault-rate 1 --fault-methods a.b.c,createRecord",
    "--fault-methods a.b.c",
    "--rate-limit 3000",
    "--rate-limit 0/300",
    "--rate-limit 1/0",
    "--rate-limit 1/2/3",
    "--rate-limit 5/86401",
    "--rate-limit /",
    "--access-lifetime 0",
    "--points-per-hour 0",
    "--points-per-day 0",
    "--most-writes 201",
    "--lag 600001",
    "--with-code judy",
    "--dialect bsky",
    "--unindexed judy",
    "--acknowledgement none",
    "--accounts 3",
    "--latency 70000",
    "--stream-window 0", "--stream-drop 0", "--stream-repeat -1", "--stream-refusals 1000001",
    "--accounts -1", "--lag -1", "--port -1", "--port 65536",
    "demo --accounts 3", "demo --port 1", "past --days 0", "nonsense",
  ]

  @Test func wrongOptionsAreNamedInACatalogue() throws {
    var catalogue = WordingCatalogue(beside: #filePath)
    for line in Self.wrongLines {
      let error = #expect(throws: (any Error).self, "\(line)") {
        try KithSandboxCommand.parseAsRoot(line.split(separator: " ").map(String.init))
      }
      guard let error else { continue }
      #expect(KithSandboxCommand.exitCode(for: error) == .validationFailure)
      catalogue.add("usage", "\(line): \(KithSandboxCommand.message(for: error))")
    }
    #expect(try catalogue.differences() == [])
  }

  @Test func helpCatalogueHasEveryOption() throws {
    var catalogue = WordingCatalogue("help.txt", beside: #filePath)
    for (name, text) in [
      ("kith-sandbox", KithSandboxCommand.helpMessage(columns: 80)),
      ("kith-sandbox run", KithSandboxCommand.helpMessage(for: RunCommand.self, columns: 80)),
      ("kith-sandbox demo", KithSandboxCommand.helpMessage(for: DemoCommand.self, columns: 80)),
    ] {
      for line in text.split(separator: "\n", omittingEmptySubsequences: false) { catalogue.add(name, line) }
    }
    #expect(try catalogue.differences() == [])
  }
}
