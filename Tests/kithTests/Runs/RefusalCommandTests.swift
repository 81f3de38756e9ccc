// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Messages and statuses of runs that change nothing.
@Suite struct RefusalCommandTests {
  @Test func aMissingListIsNotFound() async throws {
    let alice = try await SignedInRun()
    let made = try await alice.kith("lists create Birds --purpose mod")
    let uri = try #require(try made.changes().first?.subject)
    let missing = uri.dropLast(4) + "2222"
    for verb in ["block-list", "mute-list"] {
      #expect(try await alice.kith("\(verb) \(missing)").status == 67)
      let run = try await alice.kith("\(verb) \(missing) \(uri)")
      #expect(run.status == 0)
      #expect(try run.changes().map(\.state) == ["notFound", "done"], "\(verb)")
    }
    // A deleted list can still be unblocked or unmuted.
    #expect(try await alice.kith("unblock-list \(missing)").status == 0)
  }

  @Test func anUnknownCommandIsAUsageError() async throws {
    for line in ["lists creat Birds", "help chekc", "jobs shwo 1"] {
      let run = try await KithRun.inside(line.split(separator: " ").map(String.init))
      #expect(run.status == 64 && run.output == "", "\(line)")
      #expect(try run.codes == ["unknownCommand"] && run.messages.first?.text("suggestion") != nil, "\(line)")
    }
  }

  @Test func aUsageErrorShowsTheUsageOfItsCommand() async throws {
    let words = ["login", "--password-stdin"]
    let run = try await KithRun.inside(words)
    #expect(run.status == 64)
    #expect(try run.codes == ["usage"])
    let reason = try #require(try run.messages.first).text
    let text = try await KithRun.inside(words, environment: ["KITH_MESSAGES": "text"]).talk
    #expect(
      text == """
        kith: \(reason)
        Usage: kith login [<options>] [<account>]
          See 'kith login --help' for more information.

        """)
  }

  @Test(arguments: [["--help"], ["--version"], ["check", "--help"]])
  func unwritableOutputIsAnError(arguments: [String]) async throws {
    let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
    let (input, talk) = (Stream.input(), Stream.output())
    let kith = try RunningKith(
      arguments, environment: ["KITH_MESSAGES": "json"], streams: [input.far, full, talk.far])
    for descriptor in [input.far, talk.far, full] { close(descriptor) }
    let messages = try KithMessage.all(in: await talk.readAll())
    #expect(messages.map(\.code) == ["systemError"])
    #expect(messages.first?.text("file") == "stdout")
    #expect(await kith.status() == 74)
  }

  @Test func anInterruptionBeforeAnyChangeIsReported() async throws {
    let alice = try await SignedInRun()
    #expect(try await alice.kith("follow bob.test dave.test").status == 0)
    let before = try alice.follows().count
    let terminal = try PseudoTerminal(
      ["unfollow", "bob.test", "dave.test"],
      environment: alice.environment.merging(["KITH_MESSAGES": "json"]) { _, new in new })
    #expect(await terminal.shows("[y/N]"), "\(terminal.transcript)")
    // The plan stands above the question.
    #expect(terminal.transcript.split(separator: "planned").count == 3, "\(terminal.transcript)")
    #expect(terminal.transcript.contains("accounts you follow: bob.test, dave.test? [y/N]"))
    terminal.type("\u{3}")
    #expect(await terminal.shows("\"code\":\"interrupted\""), "\(terminal.transcript)")
    #expect(await terminal.status() == 130)
    #expect(try alice.follows().count == before)
  }

  @Test func unblockingAListOfSeveralAccountsIsAskedAbout() async throws {
    let alice = try await SignedInRun()
    for (name, members, isAsked) in [("Birds", "erin.test judy.test", true), ("Bees", "niaj.test", false)] {
      let made = try await alice.kith("lists create \(name) --purpose mod \(members)")
      let list = try #require(try made.changes().first?.subject)
      #expect(try await alice.kith("block-list \(list) --yes").status == 0)
      let run = try await alice.kith("unblock-list \(list)")
      #expect(run.status == (isAsked ? 64 : 0), "\(run.talk)")
      #expect(run.talk.contains("Unblock 1 list") == isAsked && run.talk.contains("(2 members)") == isAsked)
      guard isAsked else { continue }
      #expect(try await alice.kith("unblock-list \(list) --yes").changes().map(\.state) == ["done"])
    }
  }

  /// What was shown as planned is not shown again as pending; of a long plan only the first rows are shown.
  @Test func aPlanIsShownOnceAboveItsQuestion() async throws {
    let alice = try await SignedInRun()
    let shown = try PseudoTerminal(
      ["mute", "--followers-of", "bob.test"], environment: alice.environment, columns: 100)
    #expect(await shown.shows("[y/N]"), "\(shown.transcript)")
    #expect(shown.transcript.split(separator: "planned").count == 51)
    #expect(shown.transcript.contains(" more\r\n"))
    shown.type("n\n")
    #expect(await shown.status() == 1)
    let left = try PseudoTerminal(
      ["block", "bob.test", "carol.test", "judy.test", "--per-day", "1", "--no-wait"],
      environment: alice.environment, columns: 100)
    #expect(await left.shows("[y/N]"), "\(left.transcript)")
    let planned = left.transcript.split(separator: "planned").count - 1
    left.type("y\n")
    #expect(await left.status() == 75, "\(left.transcript)")
    _ = await left.shows("resume")
    #expect(planned == 3 && !left.transcript.contains("pending"), "\(left.transcript)")
  }

  /// Grace wants to be asked before she is followed.
  @Test func followOffersARequestInstead() async throws {
    let alice = try await SignedInRun()
    #expect(try await alice.kith("unfollow grace.test").status == 0)
    #expect(try await alice.kith("login grace.test --password-stdin", input: "pw-grace\n").status == 0)
    #expect(
      try await alice.kith("friends policy --who-may-ask everyone --account grace.test").status == 0)
    for (answer, state) in [("n\n", "refused"), ("y\n", "done")] {
      let terminal = try PseudoTerminal(
        ["follow", "grace.test", "--account", "alice.test"], environment: alice.environment)
      #expect(await terminal.shows("[y/N]"), "\(terminal.transcript)")
      terminal.type(answer)
      #expect(await terminal.shows(state), "\(terminal.transcript)")
      #expect(await terminal.status() == (state == "done" ? 0 : 77))
    }
    let sent = try await alice.kith("friends sent --account alice.test --format csv --fields handle,kind")
    #expect(sent.output.contains("grace.test,follow"))
    #expect(try await alice.kith("check alice.test grace.test --is following").status == 1)
  }

  /// A question names what a file names, and a file may be a stranger's.
  @Test func aQuestionDoesNotControlTheTerminal() async throws {
    let alice = try await SignedInRun()
    let folder = FileManager.default.temporaryDirectory.appending(path: "kith-list-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "lists.csv").path()
    let list = "at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/app.bsky.graph.list/3k2yihcrp6f2c"
    try "kind,list,name,purpose\nlist,\(list),\"Birds\u{1B}]0;owned\u{7}\",curate\n"
      .write(toFile: file, atomically: true, encoding: .utf8)
    let terminal = try PseudoTerminal(["import", file], environment: alice.environment)
    #expect(await terminal.shows("[y/N]"), "\(terminal.transcript)")
    #expect(terminal.transcript.contains("Birds"))
    #expect(!terminal.transcript.contains("\u{1B}]0;") && !terminal.transcript.contains("\u{7}"))
    terminal.type("n\n")
    #expect(await terminal.status() == 1)
  }

  /// An answer may take an hour; changes made meanwhile are not repeated.
  @Test func noLockIsHeldDuringAPrompt() async throws {
    let alice = try await SignedInRun()
    #expect(try await alice.kith("follow bob.test dave.test erin.test").status == 0)
    let terminal = try PseudoTerminal(
      ["unfollow", "bob.test", "dave.test", "erin.test", "--format", "ndjson"], environment: alice.environment
    )
    #expect(await terminal.shows("[y/N]"), "\(terminal.transcript)")
    // What programs read has results only.
    #expect(terminal.transcript.contains("planned") && !terminal.transcript.contains("\"state\""))
    let other = try await alice.kith("unfollow dave.test")
    #expect(other.status == 0, "\(other.talk)")
    terminal.type("y\n")
    #expect(await terminal.shows("\"state\":\"done\""), "\(terminal.transcript)")
    #expect(await terminal.status() == 0, "\(terminal.transcript)")
    let check = try await alice.kith("check alice.test bob.test dave.test erin.test --is following --any")
    #expect(check.status == 1)
    let jobs = try await alice.kith("jobs show 3").changes()
    #expect(jobs.count == 2)
  }

  /// Failed lookups are more severe than a file that ends inside a cell.
  @Test func theMoreSevereErrorDecidesTheStatus() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "kith-\(UUID().uuidString).csv")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data("who\n\(Accounts.did(2))\n\"bob".utf8).write(to: file)
    let run = try await KithRun.inside([
      "check", "\(Accounts.did(1))", "--from", file.path(), "--column", "who", "--appview",
      "http://127.0.0.1:1",
    ])
    #expect(run.status == 69)
    #expect(try run.message("unclosedQuote")?.number("line") == 3)
  }

  @Test func csvRowsWithoutANameAreReportedAndNothingIsChanged() async throws {
    let alice = try await SignedInRun()
    let run = try await alice.kith("block - --column who", input: "why,who\nspam\nx,dave.test\ny,\n")
    #expect(run.status == 65)
    #expect(run.output == "")
    #expect(try run.codes == ["invalidInput", "invalidInput", "invalidNames"])
    #expect(try run.messages.map { $0.text("place") } == ["stdin:2", "stdin:4", nil])
  }

  @Test func callsAreSignedOnlyForTheAccountsOwnServer() async throws {
    let alice = try await SignedInRun()
    let session = "xrpc query com.atproto.server.getSession --account alice.test --service"
    #expect(try await alice.kith("\(session) \(alice.environment["ATP_PDS_HOST"] ?? "")").status == 0)
    let elsewhere = try await alice.kith("\(session) http://127.0.0.1:1")
    #expect(elsewhere.status == 64)
    #expect(try elsewhere.codes == ["otherService"])
  }
}
