// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithSandbox
import TestSupport
import Testing

@testable import KithOperations
@testable import kith

@Suite struct CheckCommandTests {
  private struct Row: Decodable, Equatable {
    let input: String
    let state: String
    let following: String?
    let error: String?
  }

  @Test func aRowHasExactlyTheDocumentedFieldsInOrder() async throws {
    let run = try await SandboxRun().kith("check alice.test bob.test erin.test alice.test")
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
    let run = try await SandboxRun().kith(
      "check alice.test bob.test - --from /dev/null carol.test bob.test", input: "dave.test\n@erin.test\n")
    #expect(run.status == 0)
    #expect(
      try run.rows(Row.self).map(\.input) == [
        "bob.test", "dave.test", "@erin.test", "carol.test", "bob.test",
      ])
  }

  @Test func formatsHoldTheSameRows() async throws {
    let sandbox = try await SandboxRun()
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

  /// Q2: the AppView answers for it as for an account without any relationship.
  private static let nobody = String(repeating: "z", count: 24)

  private static let lines: [(String, Int32)] = [
    ("check alice.test bob.test --is mutual", 0), ("check alice.test carol.test --is mutual", 1),
    ("check alice.test bob.test carol.test --is following", 0),
    ("check alice.test bob.test carol.test --is followed-by", 1),
    ("check alice.test bob.test carol.test --is followed-by --any", 0),
    ("check alice.test heidi.test --is blocking", 0), ("check alice.test ivan.test --is blocked-by", 0),
    ("check alice.test niaj.test --is none", 0), ("check alice.test nobody.test --is none", 67),
    ("check alice.test bob.test nobody.test --is following", 1), ("check nobody.test bob.test", 67),
    ("check alice.test nobody.test", 67), ("check alice.test did:plc:\(nobody) --is none", 67),
    ("check alice.test did:plc:\(nobody) --is following", 67),
    ("check did:plc:\(nobody) bob.test --is none", 67),
    ("check did:plc:\(nobody) did:plc:\(nobody)", 67), ("check alice.test nobody.test bob.test", 0),
    ("check alice.test bob.test x_y --is following", 65), ("check x_y bob.test", 65),
    ("check alice.test --followers-of nobody.test", 67), ("check alice.test --list at://x_y", 65),
    ("check alice.test --from /no/such/file", 74), ("check alice.test --from /", 74),
    ("check alice.test bob.test --ca-file /no/such/file", 74), ("check alice.test", 64),
    ("check alice.test bob.test --appview ftp://x", 64), ("chekc alice.test bob.test", 64),
    ("check alice.test bob.test --explain", 0),
    ("check alice.test bob.test --appview http://127.0.0.1:1", 69),
  ]

  @Test(arguments: lines)
  func endsWithTheDocumentedStatus(line: String, status: Int32) async throws {
    let run = try await SandboxRun(accounts: 14).kith(line + " -q")
    #expect(run.status == status)
    #expect(run.talk.isEmpty == (status <= 1))
    #expect(try run.messages.allSatisfy { $0.level == "error" })
    if line.contains(" --is") { #expect(run.output == "") }
  }

  @Test func invalidLinesAreReportedAndTheRunContinues() async throws {
    let run = try await SandboxRun().kith(
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
    let sandbox = try await SandboxRun()
    let table = "Name;Handle\n\"Bob; the first\";bob.test\nCarol;@carol.test\n"
    let run = try await sandbox.kith("check alice.test - --column handle", input: table)
    #expect(run.status == 0)
    #expect(try run.rows(Row.self).map(\.input) == ["bob.test", "@carol.test"])
    let wrong = try await sandbox.kith("check alice.test --from - --column did", input: table)
    #expect(wrong.status == 65)
    #expect(try wrong.codes == ["noColumn"])
    #expect(try wrong.message("noColumn")?["columns"] == ["Name", "Handle"])
  }

  @Test(arguments: ["json", "csv", "ndjson", "table"])
  func emptyInputIsReported(format: String) async throws {
    let run = try await SandboxRun(accounts: 14).kith("check alice.test - --format \(format)")
    #expect(run.status == 0)
    #expect(try run.codes == ["noInput"])
    let outputs = ["json": "[]\n", "csv": RelationshipRow.fieldNames.joined(separator: ",") + "\n"]
    #expect(run.output == outputs[format, default: ""])
    let quiet = try await SandboxRun(accounts: 14).kith("check alice.test - -q --format \(format)")
    #expect(quiet.talk == "")
  }

  @Test func listingsSupplyTargetsOverShortPages() async throws {
    let sandbox = try await SandboxRun(accounts: 1_000, paging: .short)
    let followers = try await sandbox.kith("check alice.test --followers-of alice.test")
    #expect(followers.status == 0)
    let rows = try followers.rows(Row.self)
    #expect(rows.count > 100)
    #expect(Set(rows.map(\.input)).count == rows.count)
    let follows = try await sandbox.kith("check alice.test --follows-of alice.test --is following -v")
    #expect(follows.status == 0)
    let total = try #require(try follows.message("totalCost"))
    #expect(total.number("retries") == 0 && total.number("targets") == 125)
    #expect(try follows.rows(Row.self).allSatisfy { $0.following != nil })
  }

  /// Q11, Q12: the AppView counts 258 followers and 125 follows, and lists 200 and 100 of them.
  @Test func listingsAreCompleteOrReportGaps() async throws {
    let sandbox = try await SandboxRun(accounts: 1_000)
    let follows = try await sandbox.kith("check alice.test --follows-of alice.test")
    #expect(follows.status == 0)
    let rows = try follows.rows(NamedRow.self)
    #expect(rows.count == 125 && rows.allSatisfy { $0.following != nil })
    let added = try #require(try follows.message("listingCoverage"))
    #expect(added.level == "note")
    #expect(
      ["counted", "listed", "hidden", "gone", "notListable"].map(added.number) == [125, 100, 21, 4, 0])
    #expect(rows.count { $0.handle == nil } == 4)
    #expect(rows.allSatisfy { ($0.handle == nil) == ($0.displayName == nil) })

    let followers = try await sandbox.kith("check alice.test --followers-of alice.test")
    #expect(followers.status == 0)
    #expect(try followers.rows(NamedRow.self).count { $0.handle != nil } == 200)
    let missing = try #require(try followers.message("listingCoverage"))
    #expect(missing.level == "warning")
    #expect(missing.text("listing") == "followers" && missing.text("of") == "alice.test")
    #expect(missing.number("notListable") == 58)
    #expect(try followers.message("checkSummary")?.number("notListable") == 58)
  }

  private struct NamedRow: Decodable {
    let target: String
    let following: String?
    let handle: String?
    let displayName: String?
  }

  @Test func namesAreLookedUpIfRequested() async throws {
    let sandbox = try await SandboxRun(accounts: 200)
    let plain = try await sandbox.kith("check alice.test --followers-of bob.test")
    let dids = try plain.rows(NamedRow.self).map(\.target)
    #expect(dids.count > 50)
    let input = dids.joined(separator: "\n")
    let without = try await sandbox.kith("check alice.test -", input: input)
    #expect(try without.rows(NamedRow.self).allSatisfy { $0.handle == nil })
    let named = try await sandbox.kith("check alice.test carol.test - --names -v", input: input)
    let rows = try named.rows(NamedRow.self)
    #expect(rows.map(\.target).dropFirst() == dids[...])
    #expect(rows.map(\.handle) == ["carol.test"] + (try plain.rows(NamedRow.self).map(\.handle)))
    #expect(rows.map(\.displayName) == ["Carol"] + (try plain.rows(NamedRow.self).map(\.displayName)))
    #expect(try named.calls(of: "app.bsky.actor.getProfiles") == Int64((dids.count + 24) / 25) + 1)
  }

  @Test func rowsComeWithoutNamesIfTheLookupFails() async throws {
    let faults = SandboxFaults(
      rate: 1, kinds: [.internalServerError], methods: [try NSID(parsing: "app.bsky.actor.getProfiles")])
    let sandbox = try await SandboxRun(accounts: 14, faults: faults)
    let dids = [Accounts.did(1), Accounts.did(2), Accounts.did(3)].map(\.description).joined(separator: " ")
    let run = try await sandbox.kith("check \(dids) --names")
    #expect(try run.rows(NamedRow.self).map(\.handle) == [nil, nil])
    #expect(try run.codes.contains("handlesNotLearned"))
  }

  @Test func twoHandlesTakeTwoCalls() async throws {
    let sandbox = try await SandboxRun(accounts: 14)
    let run = try await sandbox.kith("check alice.test bob.test carol.test bob.test")
    #expect(try run.rows(Row.self).map(\.input) == ["bob.test", "carol.test", "bob.test"])
    #expect(sandbox.sandbox.statistics["app.bsky.actor.getProfiles"] == 1)
    #expect(sandbox.sandbox.statistics.total == 2)
  }

  @Test(
    arguments: [
      ("check alice.test bob.test", []), ("check alice.test bob.test carol.test -q", []),
      ("check alice.test bob.test carol.test erin.test alice.test nobody.test", [5, 2, 2, 1, 1, 1, 0, 3]),
    ] as [(String, [Int64])])
  func aBatchEndsWithASummary(line: String, counts: [Int64]) async throws {
    let run = try await SandboxRun(accounts: 14).kith(line)
    #expect(try run.codes == (counts.isEmpty ? [] : ["checkSummary"]))
    let names = ["rows", "following", "followedBy", "mutual", "blocked", "notFound", "errors", "calls"]
    let summary = try run.messages.first
    #expect(names.compactMap { summary?.number($0) } == counts)
  }

  @Test func failingFastStopsAtTheFirstErrorAndNotAtAnAbsence() async throws {
    let sandbox = try await SandboxRun(accounts: 14)
    let run = try await sandbox.kith("check alice.test nobody.test bob.test x_y carol.test --fail-fast")
    #expect(run.status == 65)
    #expect(try run.rows(Row.self).map(\.state) == ["notFound", "known", "error"])
    let summary = try #require(try run.message("checkSummary"))
    #expect(summary.number("rows") == 3 && summary["stopsEarly"] == true)
    let array = try await sandbox.kith("check alice.test x_y bob.test --fail-fast --json")
    #expect(try JSONDecoder().decode([Row].self, from: Data(array.output.utf8)).map(\.state) == ["error"])
  }

  @Test func hostileNamesAreHarmlessOnATerminal() async throws {
    let run = try await SandboxRun().kith("xrpc query app.bsky.actor.getProfile actor=mallory.test")
    #expect(run.status == 0)
    let check = try await SandboxRun().kith(
      "check alice.test \u{1B}[2J\u{202E}x --format table", environment: ["KITH_MESSAGES": "text"])
    #expect(check.status == 65)
    for text in [check.output, check.talk] {
      #expect(!text.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
    }
  }
}
