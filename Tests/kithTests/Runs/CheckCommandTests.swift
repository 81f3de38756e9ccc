// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithSandbox
import TestSupport
import Testing

@testable import KithOperations
@testable import kith

@Suite struct CheckCommandTests {
  private struct Row: Decodable {
    let input: String
    let state: String
    let following: String?
    let error: String?
  }

  /// A sandbox that tests share; checks do not change it.
  private static let sandbox = Task { try await SandboxRun(accounts: 14) }

  @Test func aRowHasExactlyTheDocumentedFieldsInOrder() async throws {
    let run = try await Self.sandbox.value.kith("check alice.test bob.test erin.test alice.test")
    #expect(run.status == 0)
    let names = RelationshipRow.fieldNames.map { "\"\($0)\":" }
    #expect(names.count == 24)
    for line in run.output.split(separator: "\n") {
      var rest = Substring(line)
      for name in names {
        let place = try #require(rest.range(of: name), "\(name) is not in its place")
        rest = rest[place.upperBound...]
      }
    }
    let rows = try run.rows(Row.self)
    #expect(rows.map(\.input) == ["bob.test", "erin.test", "alice.test"])
    #expect(rows.map(\.state) == ["known", "known", "self"])
  }

  @Test func rowsComeInTheOrderAskedWithDuplicates() async throws {
    let run = try await Self.sandbox.value.kith(
      "check alice.test bob.test - --from /dev/null carol.test bob.test", input: "dave.test\n@erin.test\n")
    #expect(run.status == 0)
    #expect(
      try run.rows(Row.self).map(\.input) == [
        "bob.test", "dave.test", "@erin.test", "carol.test", "bob.test",
      ])
  }

  @Test func formatsHoldTheSameRows() async throws {
    let sandbox = try await Self.sandbox.value
    let json = try await sandbox.kith("check alice.test bob.test niaj.test --json")
    let array = try JSONDecoder().decode([Row].self, from: Data(json.output.utf8))
    #expect(array.map(\.input) == ["bob.test", "niaj.test"])
    let csv = try await sandbox.kith("check alice.test bob.test niaj.test --format csv")
    let lines = csv.output.split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false)
    }
    #expect(lines[0].map(String.init) == RelationshipRow.fieldNames)
    #expect(lines.dropFirst().map { $0[2] } == ["bob.test", "niaj.test"])
    #expect(lines.allSatisfy { $0.count == 24 })
    let table = try await sandbox.kith(
      "check alice.test bob.test erin.test heidi.test niaj.test --format table")
    #expect(
      table.output == """
        TARGET      FOLLOWS      BLOCKS
        bob.test    mutual       no
        erin.test   followed by  blocks
        heidi.test  no           blocks (list)
        niaj.test   no           no

        """)
    #expect([json, csv, table].allSatisfy { $0.status == 0 })
  }

  /// One line for each status; `CheckRelationshipsTests` has what answers amount to.
  @Test func endsWithTheDocumentedStatus() async throws {
    let sandbox = try await Self.sandbox.value
    let nobody = "did:plc:" + String(repeating: "z", count: 24)
    let lines: [(String, Int32)] = [
      ("check alice.test bob.test --is mutual", 0), ("check alice.test carol.test --is mutual", 1),
      ("check alice.test bob.test carol.test --is followed-by --any", 0),
      ("check alice.test nobody.test", 67), ("check alice.test \(nobody) --is none", 67),
      ("check \(nobody) bob.test --is none", 67), ("check alice.test --followers-of nobody.test", 67),
      ("check alice.test bob.test x_y --is following", 65), ("check x_y bob.test", 65),
      ("check alice.test --list at://x_y", 65), ("check alice.test --from /no/such/file", 74),
      ("check alice.test --from /", 74), ("check alice.test bob.test --ca-file /no/such/file", 74),
      ("check alice.test", 64), ("check alice.test bob.test --appview ftp://x", 64),
      ("chekc alice.test bob.test", 64), ("check alice.test bob.test --explain", 0),
      ("check alice.test bob.test --appview http://127.0.0.1:1", 69),
    ]
    for (line, status) in lines {
      let run = try await sandbox.kith(line + " -q")
      #expect(run.status == status && run.talk.isEmpty == (status <= 1), "\(line): \(run.talk)")
      #expect(try run.messages.allSatisfy { $0.level == "error" }, "\(line)")
      #expect(!line.contains(" --is") || run.output.isEmpty, "\(line)")
    }
  }

  @Test func invalidLinesAreReportedAndTheRunContinues() async throws {
    let run = try await Self.sandbox.value.kith(
      "check alice.test -",
      input: "\u{FEFF}bob.test\r\n\r\nx y\n\u{1B}[31m\nhttps://bsky.app/profile/carol.test\n")
    #expect(run.status == 65)
    let rows = try run.rows(Row.self)
    #expect(rows.map(\.state) == ["known", "error", "error", "known"])
    #expect(rows[1].error?.hasPrefix("stdin:3: ") == true)
    let messages = try run.messages
    #expect(messages.map(\.code) == ["invalidInput", "invalidInput", "checkSummary"])
    #expect(messages.map { $0.text("place") } == ["stdin:3", "stdin:4", nil])
    #expect(messages[0].text("input") == "x y")
    #expect(messages[2].number("rows") == 4 && messages[2].number("errors") == 2)
    #expect(messages.allSatisfy { !$0.text.contains("\u{1B}") })
  }

  @Test func readsTargetsFromACSVColumn() async throws {
    let sandbox = try await Self.sandbox.value
    let table = "Name;Handle\n\"Bob; the first\";bob.test\nCarol;@carol.test\n"
    let run = try await sandbox.kith("check alice.test - --column handle", input: table)
    #expect(run.status == 0)
    #expect(try run.rows(Row.self).map(\.input) == ["bob.test", "@carol.test"])
    let wrong = try await sandbox.kith("check alice.test --from - --column did", input: table)
    #expect(wrong.status == 65)
    #expect(try wrong.codes == ["noColumn"])
    #expect(try wrong.message("noColumn")?["columns"] == ["Name", "Handle"])
  }

  @Test func emptyInputIsReported() async throws {
    let sandbox = try await Self.sandbox.value
    let header = RelationshipRow.fieldNames.joined(separator: ",") + "\n"
    for (format, output) in ["json": "[]\n", "csv": header, "ndjson": "", "table": ""] {
      let run = try await sandbox.kith("check alice.test - --format \(format)")
      #expect(run.status == 0 && run.output == output, "\(format)")
      #expect(try run.codes == ["noInput"], "\(format)")
    }
    #expect(try await sandbox.kith("check alice.test - -q").talk == "")
  }

  @Test func listingsSupplyTargets() async throws {
    let sandbox = try await SandboxRun(accounts: 1_000)
    let follows = try await sandbox.kith("check alice.test --follows-of alice.test --is following -v")
    #expect(follows.status == 0)
    let total = try #require(try follows.message("totalCost"))
    #expect(total.number("retries") == 0 && total.number("targets") == 125)
    let added = try #require(try follows.message("listingCoverage"))
    #expect(added.level == "note")
    #expect(
      ["counted", "listed", "hidden", "gone", "notListable"].map(added.number) == [125, 100, 21, 4, 0])
    let followers = try await sandbox.kith("check alice.test --followers-of alice.test")
    let missing = try #require(try followers.message("listingCoverage"))
    #expect(missing.level == "warning" && missing.number("notListable") == 58)
    #expect(missing.text("listing") == "followers" && missing.text("of") == "alice.test")
    #expect(try followers.message("checkSummary")?.number("notListable") == 58)
  }

  @Test func namesAreLookedUpIfRequested() async throws {
    let dids = [Accounts.did(1), Accounts.did(2), Accounts.did(3)].map(\.description).joined(separator: " ")
    let faults = SandboxFaults(
      rate: 1, kinds: [.internalServerError], methods: [try NSID(parsing: "app.bsky.actor.getProfiles")])
    let failing = try await SandboxRun(accounts: 14, faults: faults)
    #expect(try await failing.kith("check \(dids) --names").codes.contains("handlesNotLearned"))
    let sandbox = try await SandboxRun(accounts: 14)
    let bob = try #require(sandbox.sandbox.network.account(try Handle(parsing: "bob.test"))).did
    let named = try await sandbox.kith(
      "check alice.test \(bob) --names --format csv --fields handle,displayName")
    #expect(named.output == "handle,displayName\nbob.test,Bob\n")
    // Two handles take two calls.
    sandbox.sandbox.resetStatistics()
    let run = try await sandbox.kith("check alice.test bob.test carol.test bob.test")
    #expect(try run.rows(Row.self).map(\.input) == ["bob.test", "carol.test", "bob.test"])
    #expect(sandbox.sandbox.statistics["app.bsky.actor.getProfiles"] == 1)
    #expect(sandbox.sandbox.statistics.total == 2)
  }

  @Test func aBatchEndsWithASummary() async throws {
    let sandbox = try await Self.sandbox.value
    for line in ["check alice.test bob.test", "check alice.test bob.test carol.test -q"] {
      #expect(try await sandbox.kith(line).talk == "")
    }
    let run = try await sandbox.kith(
      "check alice.test bob.test carol.test erin.test alice.test nobody.test")
    #expect(try run.codes == ["checkSummary"])
    let names = ["rows", "following", "followedBy", "mutual", "blocked", "notFound", "errors", "calls"]
    let summary = try #require(try run.messages.first)
    #expect(names.map(summary.number) == [5, 2, 2, 1, 1, 1, 0, 3])
  }

  @Test func failingFastStopsAtTheFirstErrorAndNotAtAnAbsence() async throws {
    let sandbox = try await Self.sandbox.value
    let run = try await sandbox.kith("check alice.test nobody.test bob.test x_y carol.test --fail-fast")
    #expect(run.status == 65)
    #expect(try run.rows(Row.self).map(\.state) == ["notFound", "known", "error"])
    let summary = try #require(try run.message("checkSummary"))
    #expect(summary.number("rows") == 3 && summary["stopsEarly"] == true)
    let array = try await sandbox.kith("check alice.test x_y bob.test --fail-fast --json")
    #expect(try JSONDecoder().decode([Row].self, from: Data(array.output.utf8)).map(\.state) == ["error"])
  }

  @Test func hostileNamesAreHarmlessOnATerminal() async throws {
    let sandbox = try await Self.sandbox.value
    let run = try await sandbox.kith("xrpc query app.bsky.actor.getProfile actor=mallory.test")
    #expect(run.status == 0)
    let check = try await sandbox.kith(
      "check alice.test \u{1B}[2J\u{202E}x --format table", environment: ["KITH_MESSAGES": "text"])
    #expect(check.status == 65)
    for text in [check.output, check.talk] {
      #expect(!text.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
    }
  }
}
