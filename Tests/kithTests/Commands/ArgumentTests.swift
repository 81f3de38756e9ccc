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
    _ = try Kith.parseLine(line)
  }

  @Test(arguments: [
    "check", "check a.test", "check - a.test", "check a.test - -", "check a.test - --from -",
    "check a.test b.test --column x", "check a.test b.test --any", "check a.test b.test --concurrency 65",
    "check a.test b.test --concurrency 0", "check a.test b.test --json --format csv",
    "check a.test b.test --retry-errors f", "check a.test --retry-errors - --followers-of b.test",
    "check a.test --retry-errors f --column x", "resolve", "resolve - -", "xrpc query a.b.c --input f",
  ])
  func refusesWrongUsage(line: String) {
    let error = #expect(throws: (any Error).self) {
      try Kith.parseLine(line)
    }
    if let error { #expect(Kith.exitCode(for: error).rawValue == ExitStatus.usage.rawValue) }
  }

  private func complaint(_ line: String) -> String? {
    do {
      _ = try Kith.parseLine(line)
      return nil
    } catch { return Kith.message(for: error) }
  }

  @Test func twoQuestionsAreNamedBoth() throws {
    let words = try #require(complaint("check a.test b.test --is following --is mutual"))
    #expect(words.contains("--is") && words.contains("following") && words.contains("mutual"))
  }

  /// A value that begins with a dash is a value: it is named, not missing.
  @Test(arguments: [
    "followers me --limit -1", "history --limit -1", "stats --sample -1", "stats --posts -1",
    "check a.test b.test --concurrency -1",
    "follow a.test --for -1h", "follow a.test --points -1/-1", "follow a.test --leave -1",
    "follow a.test --patience -1s", "followers me --deadline -1s", "doctor --inactive -1d",
    "jobs prune --older-than -1d", "db prune --older-than -1d",
  ])
  func aNegativeValueIsNamed(line: String) throws {
    let words = try #require(complaint(line))
    #expect(words.contains("-1"), "\(words)")
  }

  @Test func aTextMayBeginWithADash() throws {
    _ = try Kith.parseAsRoot(["lists", "edit", "L", "--description", "- first"])
    _ = try Kith.parseAsRoot(["lists", "create", "L", "--purpose", "mod", "--description", "-"])
  }
}

extension Kith {
  /// Parses a line whose words contain no spaces by the command that it names, which takes a fraction of the time from
  /// the root.
  static func parseLine(_ line: String) throws -> any ParsableCommand {
    let words = line.split(separator: " ").map(String.init)
    let (command, arguments) = command(of: words[...])
    return try command.parseAsRoot(Array(arguments))
  }
}
