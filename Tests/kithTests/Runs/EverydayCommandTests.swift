// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithCurlTransport
import KithRelationships
import KithSandbox
import KithStore
import KithURLSessionTransport
import KithWriting
import TestSupport
import Testing

@testable import kith

/// What people type first, and what they pipe: the ways of input, undo, and answers of scripts.
@Suite struct EverydayCommandTests {
  /// A sandbox that tests share, which may not change it.
  private static let sandbox = Task { try await SandboxRun() }

  private struct Account: Decodable {
    let did: String
    let handle: String?
  }

  private struct Job: Decodable {
    let job: Int
    let handle: String?
    let targets: [String]
    let undoes: Int?
  }

  // MARK: Undo

  @Test func undoTakesTheLastChangeThatStands() async throws {
    let alice = try await SignedInRun()
    let change = try await alice.kith("follow dave.test")
    #expect(try change.message("undoHint")?.number("job") == 1)
    _ = try await alice.kith("mute bob.test")
    let first = try await alice.kith("undo")
    #expect(try first.rows(Job.self).map(\.undoes) == [2])
    #expect(try await alice.kith("undo").rows(Job.self).map(\.undoes) == [1])
    let none = try await alice.kith("undo")
    #expect(none.status == 64)
    #expect(try none.message("nothingToUndo") != nil)
    #expect(try await alice.kith("check me dave.test --is following -q").status == 1)
  }

  /// An open job that has changed nothing may be what the user means: nothing older is undone unless it is named.
  @Test func undoPassesOverNoOpenJobThatHasChangedNothing() async throws {
    let alice = try await SignedInRun()
    #expect(try await alice.kith("mute bob.test").status == 0)
    let did = try #require(alice.run.sandbox.network.accounts.first).did
    let step = ChangeStep(
      subject: .account(did), action: .call(.mute(Accounts.did(1), .everything), former: nil))
    let store = SQLiteJobStore(try StoreDatabase(folder: alice.dataFolder))
    _ = try await store.create(
      JobDraft(account: did, title: "mute"), [JobItemDraft(input: "x", step: step)], isWhole: true, at: 1)
    let undo = try await alice.kith("undo --yes")
    #expect(undo.status == 64)
    #expect(try undo.message("lastChangeStays")?.number("job") == 2)
    #expect(try undo.message("lastChangeStays")?.number("older") == 1)
    #expect(try await alice.kith("mutes").rows(Account.self).count == 1)
    #expect(try await alice.kith("undo 1 --yes").rows(Job.self).map(\.undoes) == [1])
    #expect(try await alice.kith("mutes").rows(Account.self).isEmpty)
  }

  @Test func jobsNameTheirAccountAndTheFirstTargets() async throws {
    let alice = try await SignedInRun()
    _ = try await alice.kith("mute bob.test carol.test erin.test")
    let job = try #require(try await alice.kith("jobs").rows(Job.self).first)
    #expect(job.handle == "alice.test")
    #expect(job.targets == ["bob.test", "carol.test"])
    let table = try await alice.kith("jobs --format table").output
    #expect(table.contains("mute bob.test, carol.test +1"))
  }

  // MARK: Input

  @Test func emptyInputIsAnEmptyAnswer() async throws {
    let alice = try await SignedInRun()
    _ = try await alice.kith("lists create Birds --purpose curate")
    for line in [
      "follow -", "unfollow - --yes", "block -", "lists add Birds -", "check me -", "resolve -",
      "import - --as follow",
    ] {
      let run = try await alice.kith("\(line) --json", input: "")
      #expect(run.status == 0 && run.output == "[]\n", "\(line)")
      #expect(try run.message("noInput") != nil || line.hasPrefix("import"), "\(line)")
    }
  }

  @Test func spreadsheetsInUTF16AndWithCarriageReturnsAreRead() async throws {
    let alice = try await SignedInRun(at: try await Self.sandbox.value)
    let text = "who\rbob.test\rcarol.test\r"
    let run = try await alice.kith("check me - --column who", input: text)
    #expect(run.status == 0)
    #expect(try run.rows(Edge.self).map(\.input) == ["bob.test", "carol.test"])
    let file = FileManager.default.temporaryDirectory.appending(path: "kith-\(UUID().uuidString).csv")
    defer { try? FileManager.default.removeItem(at: file) }
    var bytes = Data([0xFF, 0xFE])
    for unit in "Handle\tNote\r\nbob.test\tå🦉\r\n".utf16 { bytes += [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
    try bytes.write(to: file)
    #expect(
      try await alice.kith(["check", "me", "--from", file.path()]).rows(Edge.self).map(\.input) == [
        "bob.test"
      ])
  }

  private struct Edge: Decodable {
    let input: String?
    let handle: String?
  }

  @Test func invalidNamesAreSkippedOnRequest() async throws {
    let alice = try await SignedInRun()
    let input = "dave.test\nno one\n@\nniaj.test\n"
    #expect(try await alice.kith("follow -", input: input).status == 65)
    let run = try await alice.kith("follow - --skip-invalid", input: input)
    #expect(run.status == 0)
    #expect(try run.changes().map(\.input) == ["dave.test", "niaj.test"])
    #expect(try run.message("namesSkipped")?.number("count") == 2)
    let check = try await alice.kith("check me - --skip-invalid", input: input)
    #expect(check.status == 0)
    #expect(try check.rows(Edge.self).map(\.input) == ["dave.test", "niaj.test"])
  }

  @Test func excludedAccountsAreLeftAlone() async throws {
    let alice = try await SignedInRun()
    let input = "{\"handle\":\"x\",\"did\":\"\(Accounts.did(1))\"}\ndave.test\nnobody.test\n"
    let file = FileManager.default.temporaryDirectory.appending(path: "kith-\(UUID().uuidString).txt")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(input.utf8).write(to: file)
    let run = try await alice.kith([
      "block", "dave.test", "niaj.test", "bob.test", "--exclude", file.path(), "--exclude-following", "--yes",
    ])
    #expect(run.status == 0)
    #expect(try run.changes().map(\.input) == ["niaj.test"])
    #expect(try run.message("accountsExcluded")?.number("count") == 2)
    #expect(try run.message("excludedUnknown") != nil)
  }

  @Test func rowsOfAListingAreInputForAChange() async throws {
    let alice = try await SignedInRun(at: try await Self.sandbox.value)
    for format in ["ndjson", "json", "csv"] {
      let rows = try await alice.kith("not-followed-back --limit 2 --format \(format)").output
      let run = try await alice.kith("follow - --dry-run", input: rows)
      #expect(run.status == 0, "\(format): \(run.talk)")
      #expect(try run.changes().map(\.state) == ["planned", "planned"], "\(format)")
    }
  }

  @Test func listingsAreSourcesForAListToo() async throws {
    let alice = try await SignedInRun()
    _ = try await alice.kith("lists create Birds --purpose curate")
    let run = try await alice.kith("lists add Birds --mutuals --yes")
    #expect(run.status == 0, "\(run.talk)")
    let mutuals = try await alice.kith("mutuals").rows(Account.self).map(\.did)
    #expect(try run.changes().compactMap(\.subject).sorted() == mutuals.sorted() && !mutuals.isEmpty)
    let back = try await alice.kith("lists remove Birds --mutuals --yes")
    #expect(try back.changes().count == mutuals.count)
  }

  @Test func lookingWritesNothing() async throws {
    let alice = try await SignedInRun(at: try await Self.sandbox.value)
    #expect(try await alice.kith("follow dave.test --dry-run").changes().map(\.state) == ["planned"])
    #expect(try await alice.kith("jobs").message("noJobs") != nil)
    #expect(!FileManager.default.fileExists(atPath: alice.dataFolder))
  }

  // MARK: Output

  @Test func fieldsAreChosenAndUnknownOnesNamed() async throws {
    let alice = try await SignedInRun(at: try await Self.sandbox.value)
    let run = try await alice.kith("followers --limit 1 --fields handle,did")
    #expect(run.output.hasPrefix("{\"handle\":\""))
    #expect(try run.rows(Account.self).count == 1)
    let wrong = try await alice.kith("followers --fields handle,nme")
    #expect(wrong.status == 64)
    #expect(try wrong.message("unknownField") != nil)
  }

  @Test func theVersionHasSeveralNames() async throws {
    for word in ["version", "-V", "--version"] {
      let run = try await KithRun.inside([word])
      #expect(run.status == 0 && run.output == "kith \(Program.version)\n", "\(word)")
    }
    #expect(CurlTransport.Configuration().product == "kith/\(Program.version)")
    #expect(URLSessionTransport.Configuration().product == "kith/\(Program.version)")
  }

  @Test func firstWordsLeadSomewhere() async throws {
    for (word, suggestion) in [("unfollowers", "history --kind lost"), ("folow", "follow")] {
      let run = try await KithRun.inside([word])
      #expect(run.status == 64 && run.talk.contains("kith \(suggestion)?"), "\(word)")
    }
    for words in [["check", "help"], ["jobs", "help", "undo"]] {
      let run = try await KithRun.inside(words)
      let help = try await KithRun.inside(words.filter { $0 != "help" } + ["--help"])
      #expect(run.status == 0 && run.output == help.output, "\(words)")
    }
  }

  // MARK: xrpc

  private struct Page: Decodable {
    struct Block: Decodable { let did: String }
    let blocks: [Block]
  }

  /// A server can make up cursors for ever.
  @Test(arguments: [3_000, 10]) func xrpcEndsPagesThatDoNotEnd(bytes: Int) async throws {
    let number = PosixMutex(0)
    let server = try BluntServer { _ in
      let page = number.withLock { number in
        number += 1
        return number
      }
      let cursor = "\(page)" + String(repeating: "x", count: bytes)
      // The same pages again and again, apart from their cursors.
      return BluntServer.answer(
        bytes > 2_048
          ? #"{"cursor":"\#(cursor)","a":\#(page)}"# : #"{"cursor":"\#(page % 3)\#(cursor.suffix(9))"}"#)
    }
    let run = try await KithRun.inside(
      ["xrpc", "query", "com.example.list", "--paginate", "--service", server.url],
      environment: ["KITH_APPVIEW": server.url])
    #expect(run.status == 76, "\(run.talk)")
    #expect(try run.codes == ["circularCursor"])
    #expect(server.requests.count == (bytes > 2_048 ? 1 : 4))
  }

  @Test func xrpcActsAsTheCurrentAccountPageByPage() async throws {
    let alice = try await SignedInRun()
    _ = try await alice.kith("block dave.test niaj.test --yes")
    let run = try await alice.kith("xrpc query app.bsky.graph.getBlocks limit=1 --paginate")
    #expect(run.status == 0, "\(run.talk)")
    let pages = try run.rows(Page.self)
    #expect(pages.count > 1)
    let whole = try await alice.kith("xrpc query app.bsky.graph.getBlocks limit=100").rows(Page.self)
    #expect(pages.flatMap(\.blocks).map(\.did) == whole.flatMap(\.blocks).map(\.did))
  }
}
