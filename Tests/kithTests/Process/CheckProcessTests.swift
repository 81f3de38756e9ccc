// SPDX-License-Identifier: Apache-2.0

import ATProtoSandbox
import Foundation
import TestSupport
import Testing

@testable import kith

@Suite struct CheckProcessTests {
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
    #expect(names.count == 16)
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
    #expect(lines.allSatisfy { $0.count == 16 })
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

  @Test(arguments: [
    ("check alice.test bob.test --is mutual", 0), ("check alice.test carol.test --is mutual", 1),
    ("check alice.test bob.test carol.test --is following", 0),
    ("check alice.test bob.test carol.test --is followed-by", 1),
    ("check alice.test bob.test carol.test --is followed-by --any", 0),
    ("check alice.test heidi.test --is blocking", 0), ("check alice.test ivan.test --is blocked-by", 0),
    ("check alice.test niaj.test --is none", 0), ("check alice.test nobody.test --is none", 67),
    ("check alice.test bob.test nobody.test --is following", 1), ("check nobody.test bob.test", 67),
    ("check alice.test nobody.test", 67), ("check alice.test nobody.test bob.test", 0),
    ("check alice.test bob.test x_y --is following", 65), ("check x_y bob.test", 65),
    ("check alice.test --followers-of nobody.test", 67), ("check alice.test --list at://x_y", 65),
    ("check alice.test --from /no/such/file", 74), ("check alice.test --from /", 74),
    ("check alice.test bob.test --ca-file /no/such/file", 74), ("check alice.test", 64),
    ("check alice.test bob.test --appview ftp://x", 64), ("chekc alice.test bob.test", 64),
    ("check alice.test bob.test --explain", 0),
    ("check alice.test bob.test --appview http://127.0.0.1:1", 69),
  ])
  func endsWithTheDocumentedStatus(line: String, status: Int32) async throws {
    let run = try await SandboxRun(accounts: 14).kith(line + " -q")
    #expect(run.status == status)
    #expect(run.talk.isEmpty == (status <= 1))
    #expect(run.talk.split(separator: "\n").first?.hasPrefix("kith: ") != false)
    if line.contains(" --is") { #expect(run.output == "") }
  }

  @Test func badLinesAreNamedWithTheirPlaceAndTheRunGoesOn() async throws {
    let run = try await SandboxRun().kith(
      "check alice.test -",
      input: "\u{FEFF}bob.test\r\n\r\nx y\n\u{1B}[31m\nhttps://bsky.app/profile/carol.test\n")
    #expect(run.status == 65)
    let rows = try run.rows(Row.self)
    #expect(rows.map(\.state) == ["known", "error", "error", "known"])
    #expect(rows[1].error?.hasPrefix("stdin:3: ") == true)
    let talk = run.talk.split(separator: "\n")
    #expect(talk.count == 3)
    #expect(talk[2].hasPrefix("kith: 4 checked: ") && talk[2].contains(", 2 errors; "))
    #expect(talk[0].hasPrefix("kith: stdin:3: \"x y\" names no account: "))
    #expect(talk[1].hasPrefix("kith: stdin:4: "))
    #expect(!run.talk.contains("\u{1B}"))
  }

  @Test func aColumnOfCSVBringsTargets() async throws {
    let sandbox = try await SandboxRun()
    let table = "Name;Handle\n\"Bob; the first\";bob.test\nCarol;@carol.test\n"
    let run = try await sandbox.kith("check alice.test - --column handle", input: table)
    #expect(run.status == 0)
    #expect(try run.rows(Row.self).map(\.input) == ["bob.test", "@carol.test"])
    let wrong = try await sandbox.kith("check alice.test --from - --column did", input: table)
    #expect(wrong.status == 65)
    #expect(wrong.talk == "kith: stdin: no column \"did\"; its columns are Name, Handle\n")
  }

  @Test(arguments: ["json", "csv", "ndjson", "table"])
  func noTargetsAreToldOf(format: String) async throws {
    let run = try await SandboxRun(accounts: 14).kith("check alice.test - --format \(format)")
    #expect(run.status == 0)
    #expect(run.talk == "kith: no targets were given, so nothing was asked\n")
    let outputs = ["json": "[]\n", "csv": RelationshipRow.fieldNames.joined(separator: ",") + "\n"]
    #expect(run.output == outputs[format, default: ""])
    let quiet = try await SandboxRun(accounts: 14).kith("check alice.test - -q --format \(format)")
    #expect(quiet.talk == "")
  }

  @Test func listingsBringTargetsOverShortPages() async throws {
    let sandbox = try await SandboxRun(accounts: 1_000, paging: .short)
    let followers = try await sandbox.kith("check alice.test --followers-of alice.test")
    #expect(followers.status == 0)
    let rows = try followers.rows(Row.self)
    #expect(rows.count > 100)
    #expect(Set(rows.map(\.input)).count == rows.count)
    let follows = try await sandbox.kith("check alice.test --follows-of alice.test --is following -v")
    #expect(follows.status == 0)
    #expect(follows.talk.contains(" calls (0 repeated), 100 targets, "))
    #expect(follows.talk.contains("kith: app.bsky.actor.getProfiles: 1 call, "))
    #expect(try follows.rows(Row.self).allSatisfy { $0.following != nil })
  }

  @Test func twoHandlesTakeTwoCalls() async throws {
    let sandbox = try await SandboxRun(accounts: 14)
    let run = try await sandbox.kith("check alice.test bob.test carol.test bob.test")
    #expect(try run.rows(Row.self).map(\.input) == ["bob.test", "carol.test", "bob.test"])
    #expect(sandbox.sandbox.statistics["app.bsky.actor.getProfiles"] == 1)
    #expect(sandbox.sandbox.statistics.total == 2)
  }

  @Test func explainingAsksNothing() async throws {
    let sandbox = try await SandboxRun(accounts: 14)
    let run = try await sandbox.kith("check alice.test bob.test carol.test --followers-of bob.test --explain")
    #expect(run.status == 0)
    #expect(sandbox.sandbox.statistics.total == 0)
    #expect(
      run.talk == "kith: reckoned with 8 calls at once, 0.100 s a call and no rate limit, for none is known; "
        + "what a listing brings is known only by asking\n")
    #expect(
      run.output.split(separator: "\n").last
        == #"{"step":"total","calls":null,"targets":null,"bytes":null,"seconds":null}"#)
    let closed = try await sandbox.kith("check alice.test bob.test carol.test --explain --format csv")
    #expect(closed.output.split(separator: "\n").last?.hasPrefix("total,2,2,") == true)
  }

  @Test(arguments: [
    ("check alice.test bob.test", ""), ("check alice.test bob.test carol.test -q", ""),
    (
      "check alice.test bob.test carol.test erin.test alice.test nobody.test",
      "kith: 5 checked: 2 following, 2 followed by, 1 mutual, 1 blocked, 1 not found, 0 errors; 3 calls, "
    ),
  ])
  func aBatchEndsWithALineThatSumsItUp(line: String, said: String) async throws {
    let run = try await SandboxRun(accounts: 14).kith(line)
    #expect(run.talk.hasPrefix(said) && run.talk.isEmpty == said.isEmpty)
    #expect(run.talk.split(separator: "\n").count <= 1)
  }

  @Test func failingFastStopsAtTheFirstErrorAndNotAtAnAbsence() async throws {
    let sandbox = try await SandboxRun(accounts: 14)
    let run = try await sandbox.kith("check alice.test nobody.test bob.test x_y carol.test --fail-fast")
    #expect(run.status == 65)
    #expect(try run.rows(Row.self).map(\.state) == ["notFound", "known", "error"])
    #expect(run.talk.contains("kith: 3 checked: "))
    let array = try await sandbox.kith("check alice.test x_y bob.test --fail-fast --json")
    #expect(try JSONDecoder().decode([Row].self, from: Data(array.output.utf8)).map(\.state) == ["error"])
  }

  @Test func namesThatAttackATerminalArriveHarmless() async throws {
    let run = try await SandboxRun().kith("xrpc query app.bsky.actor.getProfile actor=mallory.test")
    #expect(run.status == 0)
    let check = try await SandboxRun().kith("check alice.test \u{1B}[2J\u{202E}x --format table")
    #expect(check.status == 65)
    for text in [check.output, check.talk] {
      #expect(!text.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
    }
  }
}
