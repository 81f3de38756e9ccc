// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

@testable import KithSandbox
@testable import SandboxSupport
@testable import kith

/// Finding people from the command line. `FindPeopleTests` compare what is found with the network itself.
@Suite struct PeopleCommandTests {
  private let user: InProcessUser

  init() throws { user = try InProcessUser(accounts: 400) }

  @discardableResult
  private func rows(_ line: String, status: Int32 = 0) async throws -> [[String: String]] {
    let ending = try await run(line)
    #expect(ending.status.rawValue == status, "\(line): \(ending.talk)")
    return ending.rows
  }

  private func run(_ line: String) async throws -> InProcessUser.Ending {
    let parts = line.components(separatedBy: "\"")
    let words = parts.enumerated().flatMap { place, part in
      place.isMultiple(of: 2) ? part.split(separator: " ").map(String.init) : [part]
    }
    return try await user.kith(words)
  }

  private func signIn(_ name: String = "alice") async throws {
    let ending = try await user.kith(["login", "\(name).test"], password: "pw-\(name)")
    #expect(ending.status == .success, "\(ending.talk)")
  }

  private func handles(_ rows: [[String: String]]) -> [String] {
    rows.compactMap { $0.text("handle") }
  }

  private func file(_ text: String) throws -> String {
    let url = user.home.appending(path: "\(UUID().uuidString).csv")
    try Data(text.utf8).write(to: url)
    return url.path()
  }

  @Test func optionsSayWhatASearchBringsAndLeavesOut() async throws {
    try await signIn()
    for line in [
      "people search carol --counts", "people search carol --fields handle,knownFollowers",
    ] {
      let counted = try #require(try await rows(line).first)
      #expect(Int(counted["knownFollowers"] ?? "") ?? 0 > 0, "\(line)")
    }
    let server = try await run("people search mallory")
    #expect(
      server.rows.isEmpty && server.talk.contains(#""isHiddenByServer":true"#), "\(server.talk)")
    let own = try await run("people search mallory --count-hidden")
    #expect(own.talk.contains(#""blocked":1"#) && own.talk.contains(#""isHiddenByServer":false"#))
    for wrong in [
      "people nearby --distance 3", "people nearby --reach 0", "people search x --limit 0",
    ] {
      try await rows(wrong, status: 64)
    }
  }

  @Test func eachVerbReadsItsSource() async throws {
    try await signIn()
    let suggested = try await rows("people suggested --limit 3")
    let first = try #require(handles(suggested).first)
    try await rows("people dismiss \(first)")
    #expect(handles(try await rows("people dismissed")) == [first])
    let fewer = try await run("people suggested --limit 3")
    #expect(!handles(fewer.rows).contains(first) && fewer.talk.contains(#""dismissed":1"#))
    try await rows("people dismiss \(first) --take-back")
    #expect(try await rows("people dismissed").isEmpty)
    #expect(try await rows("people suggested --similar-to bob.test --limit 2").count == 2)
    try await rows("people suggested --similar-to nobody.test", status: 67)
    #expect(try await rows("people popular --limit 3").allSatisfy { $0.text("followers") != nil })
    let recent = try await rows("people recent --limit 3")
    #expect(recent.count == 3 && recent.allSatisfy { $0.text("since") != nil })
    let near = try await run("people nearby --limit 3 --reach 5")
    #expect(
      near.rows.allSatisfy { $0["lists"] == "[]" } && near.talk.contains(#""looked":5"#),
      "\(near.talk)")
  }

  @Test func whatWasReadIsUsedAgainForADay() async throws {
    try await signIn()
    let first = try await run("people nearby --limit 3 --reach 30")
    #expect(!first.talk.contains(#""asked":0"#), "\(first.talk)")
    let second = try await run("people nearby --limit 3 --reach 30")
    // Those that cannot be read are asked again.
    let unread = second.talk.components(separatedBy: #""unreadable":"#)[1].prefix { $0.isNumber }
    #expect(second.talk.contains("\"asked\":\(unread),"), "\(second.talk)")
    #expect(first.rows == second.rows)
    try await user.network.clock.sleep(for: .days(2))
    #expect(
      try await !run("people nearby --limit 3 --reach 30").talk.contains("\"asked\":\(unread),"))
  }

  // MARK: Sources

  @Test func whatIsFoundIsASourceOfChecksAndChanges() async throws {
    try await signIn()
    let found = handles(try await rows("people recommend --limit 3"))
    let checked = try await run("check me --people recommend --first 3")
    #expect(checked.rows.compactMap { $0.text("input") } == found)
    let recent = handles(try await rows("people recent --limit 3"))
    let planned = try await rows("follow --people recent --first 3 --dry-run")
    #expect(planned.compactMap { $0.text("input") } == recent)
    let narrowed = try await rows(
      "follow --people recent --first 3 --where \"followers < 0\" --dry-run")
    #expect(narrowed.isEmpty)
    try await rows(
      "lists create Found --purpose curate --search carol --similar-to bob.test --first 2 --yes")
    #expect(try await rows("lists show Found").count >= 2)
    try await rows("follow --first 3 bob.test", status: 64)
  }

  @Test func reactionsToAPostAreSources() async throws {
    try await signIn()
    let post = try user.post(of: "alice")
    for (verb, option) in [
      ("likers", "likers-of"), ("reposters", "reposters-of"), ("quoters", "quoters-of"),
      ("repliers", "repliers-of"),
    ] {
      let listed = try await rows("\(verb) \(post) --relationship")
      #expect(Set(handles(listed)).count == listed.count, "\(verb)")
      let checked = try await rows("check me --\(option) \(post)")
      #expect(checked.count == listed.count, "\(verb)")
    }
    #expect(try await !rows("likers \(post)").isEmpty)
    #expect(try await !rows("quoters \(post)").isEmpty)
    let alice = try user.did("alice")
    try await rows("likers at://\(alice)/app.bsky.feed.post/3jui7kd54zh2y", status: 67)
    try await rows("likers alice.test", status: 65)
  }

  @Test func aStarterPackAndKnownFollowersAreSources() async throws {
    try await signIn()
    let packs = try await rows("starter-packs --of grace.test")
    let pack = try #require(packs.first?.text("uri"))
    let checked = try await rows("check me --pack \(pack) --names")
    #expect(Set(handles(checked)).isSuperset(of: ["bob.test", "judy.test"]))
    let known = try await rows("known-followers bob.test")
    #expect(try await rows("check me --known-followers-of bob.test").count == known.count)
  }

  // MARK: Rows and predicates of listings

  @Test func listingsHaveTheRelationshipIfItIsAskedFor() async throws {
    try await rows("followers bob.test --relationship", status: 77)
    try await signIn()
    let words = try await rows("followers bob.test --relationship").map { $0.text("relationship") }
    #expect(!words.contains(nil) && words.contains("self"))
    let list = try user.list("Book people", of: "grace")
    let members = try await rows("lists show \(list) --relationship")
    #expect(members.first { $0.text("handle") == "bob.test" }?.text("relationship") == "mutual")
    for line in ["lists show \(list)", "followers bob.test"] {
      #expect(try await rows(line).allSatisfy { $0.text("relationship") == nil }, "\(line)")
    }
    #expect(try await !rows("following --where verified").isEmpty)
    for wrong in ["on Nothing", "on \"\" or verified"] {
      #expect(try await user.kith(["following", "--where", wrong]).status != .success, "\(wrong)")
    }
  }

  // MARK: Contacts

  @Test func contactsWithTwoSignalsAreFollowedAsOneJob() async throws {
    try await signIn()
    let table = try file("username,name\nbob,Bob\ndave,Dave\njudy,Absent\nwho,Who\n12345,\n")
    let matches = try await run("people match \(table)")
    #expect(matches.talk.contains("contactsUnreadable"))
    let selected = matches.rows.filter { $0["selected"] == "true" }
    #expect(handles(selected) == ["dave.test"])
    #expect(selected.first?["signals"] == #"["handle","name"]"#)
    let bob = matches.rows.first { $0.text("handle") == "bob.test" }
    #expect(bob?["selected"] == "false" && bob?.text("relationship") == "mutual")
    try await rows("people match \(table) --follow", status: 64)
    let followed = try await rows("people match \(table) --follow --yes")
    #expect(followed.compactMap { $0.text("state") } == ["done"])
    try await rows("check me dave.test --is following")
  }

  @Test func filesWithoutNamesAreRefused() async throws {
    for (text, code) in [
      ("window.YTD.following.part0 = [ {", "archiveOfX"), ("who,when\na,b\n", "noAccountColumn"),
    ] {
      let ending = try await run("people match \(try file(text))")
      #expect(ending.status.rawValue == 65 && ending.talk.contains(code), "\(ending.talk)")
    }
  }
}

/// Typing ahead, on a terminal of its own.
@Suite struct PeopleTerminalTests {
  @Test func aNameIsCompletedWhileItIsTyped() async throws {
    let alice = try await SignedInRun()
    let terminal = try PseudoTerminal(
      ["people", "search", "-i", "--format", "ndjson"], environment: alice.environment, columns: 80)
    #expect(await terminal.shows("Search: "), "\(terminal.transcript)")
    terminal.type("caro")
    #expect(await terminal.shows("> carol.test  Carol  (you follow)"), "\(terminal.transcript)")
    #expect(!terminal.showsInput)
    terminal.type("\r")
    #expect(await terminal.shows(#""handle":"carol.test""#), "\(terminal.transcript)")
    #expect(await terminal.status() == 0)
    #expect(terminal.showsInput)
  }

  /// The AppView shows an account with exactly this handle, despite a block.
  @Test func anAccountWithABlockIsNotOffered() async throws {
    let alice = try await SignedInRun()
    let terminal = try PseudoTerminal(
      ["people", "search", "-i", "erin.test"], environment: alice.environment)
    #expect(await terminal.shows("Search: erin.test"), "\(terminal.transcript)")
    terminal.type("\u{15}bob")
    #expect(await terminal.shows("> bob.test"), "\(terminal.transcript)")
    #expect(!terminal.transcript.contains("> erin.test"), "\(terminal.transcript)")
    terminal.type("\u{4}")
    #expect(await terminal.status() == 1)
  }
}
