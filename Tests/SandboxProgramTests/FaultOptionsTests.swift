// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithSandbox
import Testing

@testable import kith_sandbox

@Suite struct FaultOptionsTests {
  private func options(_ line: String) throws -> RunCommand {
    try RunCommand.parse(line.split(separator: " ").map(String.init))
  }

  @Test func withoutOptionsNothingFails() throws {
    let command = try options("--seed 7")
    #expect(command.failing.faults(seed: 7) == SandboxFaults(rate: 0, seed: 7))
    #expect(command.failing.rateLimit == nil)
  }

  @Test(arguments: [("0.3", 0.3), ("30%", 0.3), ("1", 1), ("100%", 1), ("0", 0), ("2.5%", 0.025)])
  func rateIsAShare(text: String, rate: Double) throws {
    let faults = try options("--fault-rate \(text)").failing.faults(seed: 1)
    #expect(abs(faults.rate - rate) < 1e-12)
    #expect(faults.kinds == Set(SandboxFaults.Kind.allCases))
  }

  @Test func listsAndLimitsAreRead() throws {
    let line = "--fault-rate 1 --faults 500,reset,500 --rate-limit 3000/300 --fault-methods a.b.c,a.b.d"
    let failing = try options(line).failing
    #expect(failing.faults(seed: 1).methods?.map(\.description).sorted() == ["a.b.c", "a.b.d"])
    #expect(failing.faults(seed: 1).kinds == [.internalServerError, .reset])
    #expect(failing.rateLimit == SandboxRateLimit(answers: 3_000, seconds: 300))
  }

  @Test(arguments: [
    "--fault-rate 1.5", "--fault-rate 101%", "--fault-rate nan", "--fault-rate x", "--fault-rate %",
    "--fault-rate 1 --faults 500,504", "--fault-rate 1 --faults 500,", "--faults 500",
    "--fault-rate 1 --fault-methods a.b.c,createRecord", "--fault-methods a.b.c", "--rate-limit 3000",
    "--rate-limit 0/300", "--rate-limit 1/0", "--rate-limit 1/2/3", "--rate-limit 5/86401",
    "--rate-limit /",
  ])
  func refusesWrongValues(line: String) {
    let error = #expect(throws: (any Error).self) { try options(line) }
    #expect(error.map { RunCommand.exitCode(for: $0).rawValue } == 64)
  }
}
