// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

@testable import KithSandbox
@testable import SandboxSupport
@testable import kith

/// Finding people, compared with the network itself.
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

  private func handles(_ rows: [[String: String]]) -> [String] { rows.compactMap { $0.text("handle") } }

  private func file(_ text: String) throws -> String {
    let url = user.home.appending(path: "\(UUID().uuidString).csv")
    try Data(text.utf8).write(to: url)
    return url.path()
  }

  // MARK: Search and suggestions

  @Test func aSearchShowsHowYouAndEachAccountAreRelated() async throws {
    let unsigned = try await rows("people search carol")
    #expect(handles(unsigned) == ["carol.test"])
    #expect(unsigned.first?.text("relationship") == nil)
    try await signIn()
    let carol = try #require(try await rows("people search carol").first)
    #expect(carol.text("relationship") == "following")
    #expect(carol["verified"] == "true")
    #expect(carol.text("knownFollowers") == nil && carol.text("followers") == nil)
    for line in ["people search carol --counts", "people search carol --fields handle,knownFollowers"] {
      let counted = try #require(try await rows(line).first)
      #expect(Int(counted["knownFollowers"] ?? "") ?? 0 > 0, "\(line)")
    }
    let dave = try #require(try await rows("people search dave").first)
    #expect(dave.text("relationship") == "followed-by")
  }

  @Test(arguments: ["erin", "frank", "mallory"])
  func accountsWithABlockNeverAppearAndAreCountedWhereThatIsPossible(_ name: String) async throws {
    try await signIn()
    let server = try await run("people search \(name)")
    #expect(handles(server.rows).contains("\(name).test") == false)
    #expect(server.talk.contains(#""isHiddenByServer":true"#), "\(server.talk)")
    let own = try await run("people search \(name) --count-hidden")
    #expect(handles(own.rows).contains("\(name).test") == false)
    #expect(own.talk.contains(#""blocked":1"#), "\(own.talk)")
    #expect(own.talk.contains(#""isHiddenByServer":false"#))
  }

  @Test func suggestionsLeaveOutWhatWasDismissedAndWhoAsksForIt() async throws {
    try await signIn()
    let all = try await rows("people suggested --limit 20")
    #expect(all.count == 20)
    let first = try #require(handles(all).first)
    try await rows("people dismiss \(first)")
    #expect(handles(try await rows("people dismissed")) == [first])
    let fewer = try await run("people suggested --limit 20")
    #expect(!handles(fewer.rows).contains(first))
    #expect(fewer.talk.contains(#""dismissed":1"#))
    for row in fewer.rows {
      let handle = try #require(Handle(row.text("handle") ?? ""))
      let account = try #require(user.network.live.network.index(of: handle))
      let records = user.network.live.network.records(
        of: account, in: try #require(NSID("app.bsky.actor.contentVisibilityDeclaration")))
      #expect(records.isEmpty, "\(handle)")
    }
    try await rows("people dismiss \(first) --take-back")
    #expect(try await rows("people dismissed").isEmpty)
    #expect(handles(try await rows("people suggested --limit 20")).contains(first))
  }

  @Test func similarAccountsAreThoseOfTheAppView() async throws {
    try await signIn()
    let found = try await rows("people suggested --similar-to bob.test --limit 5")
    #expect(!found.isEmpty && !handles(found).contains("bob.test"))
    try await rows("people suggested --similar-to nobody.test", status: 67)
  }

  // MARK: The graph

  @Test func recommendationsNameTheirReasons() async throws {
    try await signIn()
    let ending = try await run("people recommend --limit 10")
    #expect(ending.rows.count == 10)
    let graph = try user.network.live.withState { state, _ in state.graph }
    let alice = try user.number("alice")
    let followed = Set(graph.follows.edges(from: alice).map { graph.follows.column(of: Int($0)) })
    for row in ending.rows {
      let handle = try #require(Handle(row.text("handle") ?? ""))
      let account = try #require(user.network.live.network.index(of: handle))
      #expect(!followed.contains(account) && account != alice)
      let paths = followed.filter { graph.isShown($0) && graph.follow(from: $0, to: account) != nil }
      // Of an account that follows more, the newest 100 are looked at.
      let certain = paths.count { graph.follows.edges(from: $0).count <= 100 }
      #expect((certain...paths.count).contains(Int(row["common"] ?? "") ?? -1), "\(handle)")
    }
    let scores = ending.rows.compactMap { Double($0["score"] ?? "") }
    #expect(scores == scores.sorted(by: >) && scores.count == 10)
    let near = try await rows("people nearby --limit 10")
    let paths = near.compactMap { Int($0["common"] ?? "") }
    #expect(paths == paths.sorted(by: >) && paths.count == 10)
  }

  @Test func whatWasReadIsUsedAgainForADay() async throws {
    try await signIn()
    let first = try await run("people nearby --limit 3")
    #expect(!first.talk.contains(#""asked":0"#), "\(first.talk)")
    let second = try await run("people nearby --limit 3")
    // Those that cannot be read are asked again.
    let unread = second.talk.components(separatedBy: #""unreadable":"#)[1].prefix { $0.isNumber }
    #expect(second.talk.contains("\"asked\":\(unread),"), "\(second.talk)")
    #expect(first.rows == second.rows)
    try await user.network.clock.sleep(for: .days(2))
    #expect(try await !run("people nearby --limit 3").talk.contains("\"asked\":\(unread),"))
  }

  @Test func followsInTheHistoryTakeNoCall() async throws {
    try await signIn()
    try await rows("snapshot bob.test carol.test")
    let ending = try await run("people nearby --limit 3")
    let looked = ending.talk.components(separatedBy: #""looked":"#)[1].prefix { $0.isNumber }
    let unread = ending.talk.components(separatedBy: #""unreadable":"#)[1].prefix { $0.isNumber }
    let asked = ending.talk.components(separatedBy: #""asked":"#)[1].prefix { $0.isNumber }
    #expect(try #require(Int(asked)) == #require(Int(looked)) + #require(Int(unread)) - 2, "\(ending.talk)")
  }

  @Test func theReachIsSaidAndBounded() async throws {
    try await signIn()
    let few = try await run("people nearby --limit 3 --reach 5")
    #expect(few.talk.contains(#""looked":5"#), "\(few.talk)")
    let plan = try await rows("people recommend --reach 5 --explain")
    #expect(plan.contains { $0.text("step") == "app.bsky.graph.getFollows" && $0["calls"] == "5" })
    for wrong in ["people nearby --distance 3", "people nearby --reach 0", "people search x --limit 0"] {
      try await rows(wrong, status: 64)
    }
  }

  @Test func popularAndRecentAreTheOwnGraph() async throws {
    try await signIn()
    let popular = try await rows("people popular --limit 8").compactMap { Int($0["followers"] ?? "") }
    #expect(popular.count == 8 && popular == popular.sorted(by: >))
    let recent = try await rows("people recent --limit 8")
    #expect(recent.allSatisfy { ["followed-by", "mutual"].contains($0.text("relationship")) })
  }

  // MARK: Sources

  @Test func whatIsFoundIsASourceOfChecksAndChanges() async throws {
    try await signIn()
    let found = handles(try await rows("people recommend --limit 3"))
    let checked = try await run("check me --people recommend --first 3")
    #expect(checked.rows.compactMap { $0.text("input") } == found)
    let planned = try await rows("follow --people recommend --first 3 --dry-run")
    #expect(planned.compactMap { $0.text("input") } == found)
    let narrowed = try await rows(
      "follow --people recommend --first 3 --where \"followers < 0\" --dry-run")
    #expect(narrowed.isEmpty)
    try await rows("lists create Found --purpose curate --search carol --similar-to bob.test --first 2 --yes")
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

  @Test func rowsOfListingsCarryTheRelationship() async throws {
    try await rows("followers bob.test --relationship", status: 77)
    try await signIn()
    let followers = try await rows("followers bob.test --relationship")
    let answers = try await rows("check me --followers-of bob.test")
    #expect(followers.count == answers.count && !followers.isEmpty)
    for (row, answer) in zip(followers, answers) {
      let isMutual = answer["mutual"] == "true" && answer["blocked"] == "false"
      switch row.text("relationship") {
      case "self": #expect(answer.text("state") == "self")
      case "mutual": #expect(isMutual)
      case "following": #expect(answer.text("following") != nil && !isMutual)
      case "followed-by": #expect(answer.text("followedBy") != nil && !isMutual)
      case "none": #expect(answer.text("following") == nil && answer.text("followedBy") == nil)
      default: #expect(answer["blocked"] == "true")
      }
    }
    let list = try user.list("Book people", of: "grace")
    let members = try await rows("lists show \(list) --relationship")
    #expect(members.first { $0.text("handle") == "bob.test" }?.text("relationship") == "mutual")
    #expect(try await rows("lists show \(list)").allSatisfy { $0.text("relationship") == nil })
    #expect(try await rows("followers bob.test").allSatisfy { $0.text("relationship") == nil })
  }

  @Test(arguments: [
    ("verified", 1), ("label", 0), ("followers > follows", 1), ("known-followers > 0", 1),
    ("avatar and not label is spam", 1), ("on \"\" or verified", 64),
  ])
  func predicatesKnowMarksCountsAndLists(_ predicate: String, _ least: Int) async throws {
    try await signIn()
    let ending = try await user.kith(["following", "--where", predicate])
    if least == 64 {
      #expect(ending.status != .success)
    } else {
      #expect(ending.rows.count >= least, "\(ending.talk)")
    }
  }

  @Test func membersOfAListCanBeSelected() async throws {
    try await signIn()
    let list = try user.list("Spam and scams", of: "grace")
    let members = Set(handles(try await rows("lists show \(list)")))
    let on = try await user.kith(["followers", "--where", "on \(list)"])
    #expect(Set(handles(on.rows)).isSubset(of: members))
    let off = try await user.kith(["followers", "--where", "not on \(list)"])
    #expect(!off.rows.isEmpty && Set(handles(off.rows)).isDisjoint(with: members))
    try await rows("lists create Mine --purpose curate bob.test")
    let own = try await user.kith(["following", "--where", "on Mine"])
    #expect(handles(own.rows) == ["bob.test"])
    let wrong = try await user.kith(["following", "--where", "on Nothing"])
    #expect(wrong.status != .success)
  }

  // MARK: Contacts

  @Test func contactsWithTwoSignalsAreFollowedAsOneJob() async throws {
    try await signIn()
    let table = try file("username,name\nbob,Bob\ndave,Dave\njudy,Nobody\nwho,Who\n12345,\n")
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
