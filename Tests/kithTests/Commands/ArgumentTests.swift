// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Testing

@testable import kith

@Suite struct ArgumentTests {
  @Test func accepts() throws {
    for line in [
      "check alice.test --from a.txt --from -", "check alice.test --followers-of bob.test --concurrency 64",
      "check --json alice.test bob.test", "check alice.test bob.test --format json --json",
      "resolve a.test --from b.txt --column h", "check a.test --retry-errors f --fail-fast",
      "check a.test --retry-errors - --is mutual", "xrpc procedure com.example.method --input -",
      "sandbox --accounts 14",
    ] {
      #expect(throws: Never.self, "\(line)") { try Kith.parseLine(line) }
    }
  }

  /// `WrongUsage` has more lines.
  @Test func refusesWrongUsage() {
    for line in ["doctor --inactive soon", "doctor --only nothing"] {
      let error = #expect(throws: (any Error).self, "\(line)") { try Kith.parseLine(line) }
      #expect(error.map { Kith.exitCode(for: $0).rawValue } == ExitStatus.usage.rawValue, "\(line)")
    }
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
  @Test func aNegativeValueIsNamed() {
    for line in [
      "followers me --limit -1", "history --limit -1", "stats --sample -1", "stats --posts -1",
      "check a.test b.test --concurrency -1", "follow a.test --for -1h", "follow a.test --points -1/-1",
      "follow a.test --leave -1", "follow a.test --patience -1s", "followers me --deadline -1s",
      "doctor --inactive -1d", "jobs prune --older-than -1d", "db prune --older-than -1d",
    ] {
      let words = complaint(line)
      #expect(words?.contains("-1") == true, "\(line): \(words ?? "accepted")")
    }
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
