// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import kith

/// Snapshots of all help pages, so changes of help are visible and deliberate.
@Suite struct HelpTests {
  /// The content of a snapshot file; `make wording` updates it.
  private func snapshot(_ name: String, now: String) throws -> String {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let file = folder.appending(path: "Help/\(name).txt")
    if WordingCatalogue.isWritten { try Data(now.utf8).write(to: file) }
    return try String(contentsOf: file, encoding: .utf8)
  }

  @Test(arguments: [
    "check", "resolve", "count", "live", "daemon", "ui",
    "followers", "following", "mutuals", "not-following-back", "not-followed-back",
    "known-followers", "common", "blocks", "blocked-by", "mutes", "login", "logout", "accounts", "whoami",
    "follow",
    "unfollow", "block", "unblock",
    "mute",
    "unmute", "block-list", "unblock-list", "mute-list", "unmute-list", "lists", "lists list", "lists create",
    "lists edit", "lists delete",
    "lists show", "lists add", "lists remove", "lists import", "lists export", "graphs", "graphs list",
    "graphs compare", "friends", "friends list", "friends request", "friends inbox", "friends sent",
    "friends accept", "friends decline", "friends cancel", "friends remove", "friends policy", "friends sync",
    "friends audience", "people", "people search", "people suggested", "people popular", "people nearby",
    "people recent", "people recommend", "people match", "people dismiss", "people dismissed", "profile",
    "profile show",
    "profile set",
    "follow-back",
    "notifications", "notifications list", "notifications settings", "notifications subscribe",
    "feed", "post", "posts", "posts delete", "like", "unlike", "repost", "unrepost",
    "thread", "likers",
    "reposters", "quoters", "repliers", "starter-packs",
    "starter-packs list", "starter-packs show", "starter-packs follow", "report", "jobs", "jobs list",
    "jobs show",
    "jobs resume", "jobs pause", "jobs cancel", "jobs undo", "jobs retry-failed", "jobs due", "jobs prune",
    "snapshot", "history", "stats", "goal", "segments", "segments list", "segments add", "segments remove",
    "segments count", "watch", "watch add", "watch list",
    "watch remove", "doctor", "export", "import", "db", "db path", "db check", "db backup", "db vacuum",
    "db prune", "db forget",
    "xrpc",
    "sandbox", "demo", "completion",
  ])
  func helpOfACommandMatchesItsSnapshot(verb: String) throws {
    var command: any ParsableCommand.Type = Kith.self
    for word in verb.split(separator: " ") {
      command = try #require(
        command.configuration.subcommands.first { $0.commandName == word }, "no command \(verb)")
    }
    let text = HelpPage.shortened(Kith.helpMessage(for: command, columns: 80)) + "\n"
    let file = verb.replacing(" ", with: "-")
    #expect(text == (try snapshot(file, now: text)), "make wording")
  }

  @Test func helpGoesToStdout() async throws {
    let pages =
      [("check --help", "check"), ("jobs undo --help", "jobs-undo"), ("--help", "kith"), ("help", "kith")]
      + HelpTopic.allCases.map { ("help \($0.rawValue)", "topic-\($0.rawValue)") } + [("", "kith")]
    for (line, file) in pages {
      let run = try await KithRun.inside(line.split(separator: " ").map(String.init))
      #expect(run.status == 0 && (run.talk == "" || line == ""), "\(line)")
      #expect(run.output == (try snapshot(file, now: run.output)), "make wording")
    }
  }

  /// Help leaves out what most commands have; the topic has all of it.
  @Test func helpOfACommandNamesTheTopicForTheRest() throws {
    let whole = Kith.helpMessage(for: CheckCommand.self, columns: 80)
    let shown = HelpPage.shortened(whole)
    let options = HelpTopic.options.text(columns: 80)
    #expect(whole.contains("--appview") && !shown.contains("--appview") && options.contains("--appview"))
    #expect(shown.contains("kith help options") && shown.contains("--retry-errors"))
    #expect(HelpPage.shortened("no help") == "no help")
    let lines = Set(shown.split(separator: "\n") + options.split(separator: "\n"))
    #expect(whole.split(separator: "\n").filter { !lines.contains($0) } == [])
  }

  @Test func versionIsALine() async throws {
    let run = try await KithRun.inside(["--version"])
    #expect(run.status == 0)
    #expect(run.output.wholeMatch(of: /kith \d+\.\d+\.\d+\n/) != nil)
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func completionsContainTheCommands(shell: String) async throws {
    let run = try await KithRun.inside(["completion", shell])
    #expect(run.status == 0)
    for words in [
      "check", "resolve", "xrpc", "sandbox",
      // Help is completed by commands.
      "list show approve reject resume pause cancel undo retry-failed due prune",
    ] {
      #expect(run.output.contains(words), "\(words)")
    }
    // A hidden command.
    #expect(run.output.contains("vacuum") && !run.output.contains("load-history"))
  }
}
