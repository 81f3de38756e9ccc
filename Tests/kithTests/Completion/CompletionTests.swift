// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import kith

/// What completion offers for a place on the command line.
@Suite struct CompletionTests {
  private static let known = CompletionValues(
    accounts: ["alice.test", "did:plc:6kvet535c5erlisfexdsgmqd"],
    jobs: [
      CompletionValues.Job(number: "1", isEnded: true, hasDone: true, hasFailed: false),
      CompletionValues.Job(number: "2", isEnded: false, hasDone: false, hasFailed: true),
    ],
    lists: ["My Friends"], segments: ["loyal"])

  /// - Parameters:
  ///   - command: the names of the command, separated by spaces.
  ///   - argument: the name of an option, or `positional@0`.
  private func offers(
    _ command: String, _ argument: String, line: [String] = ["kith", ""], known: CompletionValues = known
  ) -> [String] {
    let names = command.split(separator: " ").map(String.init)
    let place = ["--", argument, "\(line.count - 1)", "0"]
    return CompletionValues.$current.withValue(known) {
      do {
        _ = try Kith.parseAsRoot(["---completion"] + names + place + line)
        return []
      } catch {
        return Kith.message(for: error).split(separator: "\n").map(String.init)
      }
    }
  }

  /// A shell reads one candidate a line, and shows it.
  @Test func leavesOutNamesWithControlCharacters() {
    let lists = ["sound", "x\u{1B}]0;own\u{7}", "two\nlines", "\u{202E}sdneirf", "cr\rlf", "$(id)"]
    let known = CompletionValues(accounts: [], jobs: [], lists: lists, segments: [])
    #expect(offers("lists show", "positional@0", known: known) == ["sound", "$(id)"])
  }

  @Test func namesOfWhatTheUserHas() {
    let places: [(command: String, argument: String, offers: [String])] =
      [
        ("check", "--account"), ("accounts switch", "positional@0"), ("follow", "positional@0"),
        ("login", "positional@0"),
      ].map { ($0, $1, Self.known.accounts) }
      + [
        ("check", "positional@0"), ("followers", "positional@0"), ("check", "--follows-of"), ("goal", "--of"),
        ("snapshot", "positional@0"), ("watch add", "positional@0"), ("stats", "positional@0"),
      ].map { ($0, $1, ["me"] + Self.known.accounts) }
      + [
        ("show", ["1", "2"]), ("resume", ["2"]), ("pause", ["2"]), ("cancel", ["2"]), ("undo", ["1"]),
        ("retry-failed", ["2"]),
      ].map { ("jobs \($0)", "positional@0", $1) }
      + [
        ("lists show", "positional@0"), ("lists add", "positional@0"), ("block-list", "positional@0"),
        ("check", "--list"),
      ].map { ($0, $1, ["My Friends"]) }
    for (command, argument, wanted) in places {
      #expect(offers(command, argument) == wanted, "\(command) \(argument)")
    }
  }

  @Test func segmentsByNameAndInPredicates() {
    #expect(offers("segments remove", "positional@0") == ["loyal"])
    #expect(offers("segments count", "positional@0") == ["loyal"])
    #expect(offers("followers", "--where") == ["segment loyal"])
  }

  @Test func columnsOfTheFilesThatTheLineNames() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "kith columns \(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "names.csv").path(percentEncoded: false)
    try Data("handle;Full Name\na;b\n".utf8).write(to: URL(filePath: file))
    let spellings = [["--from", "'\(file)'"], ["--from=\(file.replacing(" ", with: "\\ "))"]]
    for spelling in spellings {
      let line = ["kith", "check", "me"] + spelling + ["--column", ""]
      #expect(offers("check", "--column", line: line) == ["handle", "Full Name"])
    }
    let line = ["kith", "import", "\"\(file)\"", "--column", ""]
    #expect(offers("import", "--column", line: line) == ["handle", "Full Name"])
    #expect(
      offers("check", "--column", line: ["kith", "check", "--from", "/dev/zero", "--column", ""]) == [])
  }

  @Test func valuesComeFromTheFilesOfTheUser() async throws {
    let alice = try await SignedInRun()
    #expect(try await alice.kith(["lists", "create", "My Friends", "--purpose", "curate"]).status == 0)
    #expect(try await alice.kith("lists").status == 0)
    #expect(try await alice.kith("segments add loyal mutual").status == 0)
    let values = await CompletionValues.stored(in: alice.environment)
    #expect(values.accounts == ["alice.test"])
    #expect(values.jobs.map(\.number) == ["1"] && values.jobs.map(\.hasDone) == [true])
    #expect(values.lists.contains("My Friends"))
    #expect(values.segments == ["loyal"])
    let request = "---completion jobs show -- positional@0 3 0 kith jobs show"
    let run = try await alice.kith(request.split(separator: " ").map(String.init) + [""])
    #expect(run.status == 0 && run.output == "1\n" && run.talk == "")
  }

  @Test func completionCreatesNothing() async throws {
    let home = FileManager.default.temporaryDirectory.appending(path: "kith-home-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: home) }
    let values = await CompletionValues.stored(in: ["HOME": home.path()])
    #expect(values.accounts.isEmpty && values.jobs.isEmpty && values.lists.isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.path()).isEmpty)
  }
}
