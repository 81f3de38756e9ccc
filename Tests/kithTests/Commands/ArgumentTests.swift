// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Testing

@testable import kith

@Suite struct ArgumentTests {
  @Test(arguments: [
    "check alice.test bob.test", "check alice.test bob.test --is mutual --any -q", "check alice.test -",
    "check alice.test --from a.txt --from -", "check alice.test - --column handle",
    "check alice.test --followers-of bob.test --concurrency 64", "check --json alice.test bob.test",
    "check alice.test bob.test --format json --json", "resolve -", "resolve a.test --from b.txt --column h",
    "check a.test --retry-errors f --fail-fast", "check a.test --retry-errors - --is mutual",
    "xrpc procedure com.example.method --input -", "completion fish", "sandbox --accounts 14",
  ])
  func accepts(line: String) throws {
    _ = try Kith.parseAsRoot(line.split(separator: " ").map(String.init))
  }

  @Test(arguments: [
    ("check", "Missing expected argument '<actor> ...'"),
    ("check a.test", "Whom is a.test to be checked against? Add targets, --from FILE, or - for stdin."),
    ("check - a.test", "The first argument is the actor; - stands for targets."),
    ("check a.test - -", "stdin (-) can be read once only; leave the others out."),
    ("check a.test - --from -", "stdin (-) can be read once only; leave the others out."),
    (
      "check a.test b.test --column x",
      "--column names a column of a file; add --from FILE, or - for stdin."
    ),
    ("check a.test b.test --any", "--any goes with --is RELATION."),
    (
      "check a.test b.test --concurrency 65",
      "--concurrency takes a whole number from 1 to 64, not 65."
    ),
    (
      "check a.test b.test --concurrency 0", "--concurrency takes a whole number from 1 to 64, not 0."
    ),
    (
      "check a.test b.test --json --format csv",
      "--json and --format csv contradict each other; leave one of them out."
    ),
    (
      "check a.test b.test --retry-errors f",
      "--retry-errors asks again for what failed in that run; leave the other targets out."
    ),
    (
      "check a.test --retry-errors - --followers-of b.test",
      "--retry-errors asks again for what failed in that run; leave the other targets out."
    ),
    (
      "check a.test --retry-errors f --column x",
      "--column names a column of a file; add --from FILE, or - for stdin."
    ),
    ("resolve", "Whom? Name actors, --from FILE, or - for stdin."),
    ("resolve - -", "stdin (-) can be read once only; leave the others out."),
    ("xrpc query a.b.c --input f", "--input goes with a procedure; a query has none."),
  ])
  func refusesWithTheWayOut(line: String, message: String) {
    let error = #expect(throws: (any Error).self) {
      try Kith.parseAsRoot(line.split(separator: " ").map(String.init))
    }
    if let error {
      #expect(Kith.message(for: error) == message)
      #expect(Kith.exitCode(for: error).rawValue == ExitStatus.usage.rawValue)
    }
  }
}
