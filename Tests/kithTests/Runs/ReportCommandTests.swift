// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithOperations
import KithSandbox
import TestSupport
import Testing

@testable import kith

/// Reports, from the command line to the moderation service of a sandbox.
@Suite struct ReportCommandTests {
  private struct Row: Decodable {
    let input: String, subject: String, reason: String, to: String, state: String, id: Int?
    let blocked: Bool?, error: String?
  }

  private struct Edges: Decodable { let blocking: String? }

  @Test func aReportIsSentAndABlockIsOffered() async throws {
    let alice = try await SignedInRun()
    let run = try await alice.kith("report niaj.test --reason spam --text-file -", input: "again\n")
    #expect(run.status == 0, "\(run.talk)")
    let row = try #require(try run.rows(Row.self).first)
    #expect(row.state == "reported" && row.id == 1 && row.reason == "spam" && row.blocked == nil)
    #expect(row.to == ReportToModerators.publicModeration)
    #expect(try run.message("blockHint")?.text("subject") == row.subject)
    #expect(try await alice.kith("check alice.test niaj.test").rows(Edges.self).first?.blocking == nil)
  }

  /// Every user can read the arguments of every process.
  @Test func theTextIsReadFromAFileOnly() async throws {
    let sent = PosixMutex([String]())
    let server = try BluntServer { request in
      let did = Accounts.did(1)
      if request.head.contains("createSession") {
        return BluntServer.answer(
          #"{"accessJwt":"a","refreshJwt":"b","handle":"user1.test","did":"\#(did)","active":true}"#)
      }
      if request.head.contains("resolveHandle") { return BluntServer.answer(#"{"did":"\#(did)"}"#) }
      if request.head.contains("createReport") {
        sent.withLock { $0.append(request.body) }
        return BluntServer.answer(
          #"{"id":1,"reasonType":"com.atproto.moderation.defs#reasonSpam","#
            + #""subject":{"$type":"com.atproto.admin.defs#repoRef","did":"\#(Accounts.did(2))"},"#
            + #""reportedBy":"\#(did)","createdAt":"2026-01-01T00:00:00.000Z"}"#)
      }
      return BluntServer.answer(#"{"profiles":[]}"#)
    }
    let home = FileManager.default.temporaryDirectory.appending(path: "kith-report-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: home) }
    let environment = [
      "XDG_STATE_HOME": home.path(), "KITH_APPVIEW": server.url, "ATP_PDS_HOST": server.url,
      "ATP_PLC_HOST": server.url, "ATP_AUTH_PASSWORD": "open sesame",
    ]
    #expect(try await KithRun.inside(["login", "user1.test"], environment: environment).status == 0)
    let report = ["report", "\(Accounts.did(2))", "--reason", "spam"]
    let refused = try await KithRun.inside(report + ["--text", "whispered"], environment: environment)
    #expect(refused.status == 64)
    #expect(try refused.codes == ["usage"])
    #expect(!refused.talk.contains("whispered"))
    let file = home.appending(path: "text")
    for (text, status) in [
      ("two\nlines\n", 0), (String(repeating: "a", count: 2_001), 64),
      (String(repeating: "\u{1F469}\u{200D}\u{1F680}", count: 1_900), 64),
      (String(repeating: "a", count: 200_000), 64),
    ] as [(String, Int32)] {
      try Data(text.utf8).write(to: file)
      let run = try await KithRun.inside(report + ["--text-file", file.path()], environment: environment)
      #expect(run.status == status, "\(run.talk)")
      #expect(try (status == 64) == run.codes.contains("textTooLong"))
    }
    try Data([0xFF, 0xFE]).write(to: file)
    let foreign = try await KithRun.inside(report + ["--text-file", file.path()], environment: environment)
    #expect(try foreign.status == 64 && foreign.codes == ["notUnicode"])
    let absent = try await KithRun.inside(
      report + ["--text-file", "/nowhere/text"], environment: environment)
    #expect(absent.status == 74)
    let bodies = sent.withLock { $0 }
    #expect(bodies.count == 1 && bodies[0].contains(#""reason":"two\nlines""#), "\(bodies)")
  }

  @Test func aReportAlsoBlocksIfRequested() async throws {
    let alice = try await SignedInRun()
    let run = try await alice.kith("report niaj.test --reason rude --block --json")
    #expect(run.status == 0, "\(run.talk)")
    let rows = try JSONDecoder().decode([Row].self, from: Data(run.output.utf8))
    #expect(rows.map(\.blocked) == [true])
    #expect(try await alice.kith("check alice.test niaj.test").rows(Edges.self).first?.blocking != nil)
    #expect(try await alice.kith("jobs undo 1").status == 0)
  }

  @Test func aRecordIsReportedInItsCurrentVersion() async throws {
    let alice = try await SignedInRun()
    #expect(try await alice.kith("lists create Noise --purpose mod").status == 0)
    struct List: Decodable { let uri: String }
    let list = try #require(try await alice.kith("lists").rows(List.self).first)
    let login = try await alice.kith("login bob.test --password-stdin", input: "pw-bob\n")
    #expect(login.status == 0)
    let run = try await alice.kith("report \(list.uri) --reason misleading --account bob.test")
    #expect(run.status == 0, "\(run.talk)")
    #expect(try run.rows(Row.self).map(\.subject) == [list.uri])
    let gone = try await alice.kith("report \(list.uri)x --reason misleading --account bob.test")
    #expect(gone.status == 67)
  }

  @Test func invalidReportsAreNotSent() async throws {
    let alice = try await SignedInRun()
    #expect(try await alice.kith("report alice.test --reason spam").status == 77)
    #expect(try await alice.kith("report nobody.test --reason spam").status == 67)
    #expect(try await alice.kith("report niaj.test --reason boredom").status == 64)
    #expect(try await alice.kith("report niaj.test").status == 64)
    #expect(try await alice.kith("report niaj.test --reason spam --to unknown").status == 65)
    let planned = try await alice.kith("report niaj.test --reason spam --dry-run")
    #expect(try planned.rows(Row.self).map(\.state) == ["planned"])
    // The first report that is sent is the first that they receive.
    let run = try await alice.kith("report niaj.test --reason spam")
    #expect(try run.rows(Row.self).map(\.id) == [1])
  }

  /// Each report counts, and users who do not see the result would send it again.
  @Test func aReportIsPrintedEvenIfTheBlockCannotBeRecorded() async throws {
    let alice = try await SignedInRun()
    let run = try await KithRun.inside(
      ["report", "niaj.test", "--reason", "spam", "--block"],
      environment: alice.environment.merging(["XDG_DATA_HOME": "/dev/null"]) { _, new in new })
    #expect(run.status == 74)
    #expect(try run.rows(Row.self).map(\.state) == ["reported"])
    // Running the command again would send a second report.
    #expect(try run.codes.contains("blockHint"))
    #expect(try !run.messages.contains { $0["changed"] != nil })
  }

  @Test func onATerminalItOffersToBlock() async throws {
    let run = try await SandboxRun()
    let home = FileManager.default.temporaryDirectory.appending(path: "kith-report-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: home) }
    let folders = ["XDG_STATE_HOME": "\(home.path())/state", "XDG_DATA_HOME": "\(home.path())/data"]
    let login = try await run.kith(
      "login alice.test --password-stdin", environment: folders, input: "pw-alice\n")
    #expect(login.status == 0, "\(login.talk)")
    let handle = try #require(Handle("niaj.test"))
    let did = try #require(run.sandbox.network.account(handle)).did
    for (input, answer, isBlocked) in [("niaj.test", "\n", false), ("\(did)", "y\n", true)] {
      let terminal = try PseudoTerminal(
        ["report", input, "--reason", "spam"],
        environment: run.environment.merging(folders) { _, new in new })
      #expect(await terminal.shows("Report niaj.test as spam"), "\(terminal.transcript)")
      terminal.type("y\n")
      #expect(await terminal.shows("Block niaj.test"), "\(terminal.transcript)")
      terminal.type(answer)
      #expect(await terminal.status() == 0)
      let edges = try await run.kith("check alice.test niaj.test").rows(Edges.self)
      #expect((edges.first?.blocking != nil) == isBlocked)
    }
  }

  @Test func onATerminalNothingIsSentWithoutConfirmation() async throws {
    let run = try await SandboxRun()
    let home = FileManager.default.temporaryDirectory.appending(path: "kith-report-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: home) }
    let folders = ["XDG_STATE_HOME": "\(home.path())/state", "XDG_DATA_HOME": "\(home.path())/data"]
    let login = try await run.kith(
      "login alice.test --password-stdin", environment: folders, input: "pw-alice\n")
    #expect(login.status == 0, "\(login.talk)")
    let environment = run.environment.merging(folders) { _, new in new }
    let asked = try PseudoTerminal(["report", "niaj.test", "--reason", "rude"], environment: environment)
    #expect(await asked.shows("[y/N]"), "\(asked.transcript)")
    asked.type("\n")
    #expect(await asked.status() == 1)
    let sent = try PseudoTerminal(
      ["report", "niaj.test", "--reason", "rude", "--yes"], environment: environment)
    #expect(await sent.shows("reported"), "\(sent.transcript)")
    #expect(!sent.transcript.contains("[y/N]"))
    #expect(await sent.status() == 0)
    // The moderators have one report so far.
    let next = try await run.kith("report niaj.test --reason rude", environment: folders)
    #expect(try next.rows(Row.self).map(\.id) == [2])
  }

  /// Each report counts: if the response is lost, that is reported, and the report is not sent again.
  @Test func aLostResponseIsReported() async throws {
    let server = try BluntServer { request in
      let did = Accounts.did(1)
      if request.head.contains("createSession") {
        return BluntServer.answer(
          #"{"accessJwt":"a","refreshJwt":"b","handle":"user1.test","did":"\#(did)","active":true}"#)
      }
      if request.head.contains("resolveHandle") { return BluntServer.answer(#"{"did":"\#(did)"}"#) }
      if request.head.contains("createReport") { return "" }
      return BluntServer.answer(#"{"profiles":[]}"#)
    }
    let home = FileManager.default.temporaryDirectory.appending(path: "kith-report-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: home) }
    let environment = [
      "XDG_STATE_HOME": home.path(), "KITH_APPVIEW": server.url, "ATP_PDS_HOST": server.url,
      "ATP_PLC_HOST": server.url, "ATP_AUTH_PASSWORD": "open sesame",
    ]
    #expect(try await KithRun.inside(["login", "user1.test"], environment: environment).status == 0)
    let run = try await KithRun.inside(
      ["report", "\(Accounts.did(2))", "--reason", "spam"], environment: environment)
    #expect(run.status == 69)
    #expect(try run.rows(Row.self).map(\.state) == ["inDoubt"])
    #expect(try run.message("reportInDoubt")?["cause"]?["code"] == "repository.inDoubt")
    #expect(server.requests.count { $0.head.contains("createReport") } == 1)
  }
}
