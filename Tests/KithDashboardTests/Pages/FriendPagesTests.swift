// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithLocalMessages
import KithOperations
import KithRelationships
import KithWriting
import SandboxSupport
import TestSupport
import Testing

@testable import KithDashboard

/// Friend requests and friends, as a browser sees and answers them.
@Suite(.timeLimit(.minutes(1))) struct FriendPagesTests {
  private let clock = ManualClock()
  private let network: FaultyNetwork
  private let user: ServedUser
  private let visitor: Visitor

  init() async throws {
    network = FaultyNetwork(clock: clock)
    user = try await ServedUser(on: network)
    visitor = try await Visitor(Dashboard(user.workspace(), at: DashboardPlace(port: 4_000)), port: 4_000)
  }

  private func page(_ name: String) async throws -> String {
    let response = await visitor.get("/@alice.test/\(name)")
    #expect(response.status == 200)
    return try await response.page
  }

  /// What one of the cast asks of another.
  private func ask(_ name: String, _ draft: FriendRequestDraft, of other: String = "alice") async throws {
    let requester = try await ServedUser(name, on: network)
    try await requester.change(.friends(.request(try user.did(other), draft)))
  }

  /// What the button of an account on a page would send.
  private func value(_ change: String, _ name: String, in page: String) throws -> String {
    let pattern = try Regex(
      "value=\"(\(change) \(user.did(name)) [a-z0-9]+)\"", as: (Substring, Substring).self)
    return String(try #require(page.firstMatch(of: pattern)).1)
  }

  private func change(_ items: KeyValuePairs<String, String>) async -> LocalResponse {
    await visitor.post("/@alice.test/change", form: items)
  }

  private func isFriend(_ name: String) async throws -> Bool {
    try await user.run(ListFriends(of: user.actor("alice"), by: .consent)).rows
      .contains { $0.view.account == (try? user.did(name)) }
  }

  /// Until all jobs are done, and no run holds them any more.
  private func untilJobsAreDone() async throws {
    try await eventually {
      let rows = try await user.run(ListJobs()).rows
      return !rows.isEmpty && rows.allSatisfy { $0.state == "done" && $0.summary.holder == nil }
    }
  }

  // MARK: Inbox

  @Test func theInboxSaysWhoAsksForWhatTheClosestFirst() async throws {
    let page = try await page("requests")
    let rows = page.matches(of: /data-row="([^"]+)"/).map { String($0.1) }
    #expect(rows.first == "\(try user.did("bob"))", "Bob is a mutual")
    #expect(try [user.did("dave"), user.did("judy")].allSatisfy { rows.contains("\($0)") })
    #expect(try !rows.contains("\(user.did("erin"))"), "she is blocked")
    #expect(page.contains("Friendship<div class=\"m xs\">Mutual, followed by "))
    #expect(page.contains("To follow you<div class=\"m xs\">"))
    #expect(page.contains("Closest accounts first.") && page.contains(/left out: \d+ blocked or muted/))
    #expect(page.contains("Decline is noted on this machine only"))
  }

  @Test func whatIsAroundTheInboxComesBeforeIt() async throws {
    let pieces = try await visitor.get("/@alice.test/requests").pieces
    try #require(pieces.count == 2)
    #expect(pieces[0].contains("Asking the servers of your newest 200 followers and follows."))
    #expect(pieces[0].contains("<h1>") && pieces[0].contains("aria-current=\"page\">Inbox"))
    #expect(!pieces[0].contains("data-row") && pieces[1].hasSuffix("</main></div></body></html>\n"))
  }

  @Test func ageAndEndAreInWords() async throws {
    let end = Datetime(at: network.time.instant + .seconds(8 * 3_600))
    try await ask("dave", FriendRequestDraft(.follow, expiresAt: end))
    clock.advance(by: .seconds(2 * 3_600 + 60))
    let page = try await page("requests")
    #expect(page.contains(">2 hours ago</time><div class=\"xs warn\">ends "))
    #expect(page.contains(">in 5 hours</time>"))
    #expect(page.contains("<div class=\"xs m\">no end</div>"))
  }

  @Test func anAnswerIsAboutTheVersionThatWasShown() async throws {
    let old = try value("accept", "dave", in: try await page("requests"))
    try await ask("dave", FriendRequestDraft(.follow))
    let refused = await change(["do": old, "back": "/@alice.test/requests"])
    #expect(refused.status == 200 && refused.text.contains("Not accepted: "), "\(refused.text)")
    #expect(try await !isFriend("dave"))
    let new = try value("accept", "dave", in: try await page("requests"))
    #expect(new != old)
    let accepted = await change(["do": new, "back": "/@alice.test/requests"])
    #expect(accepted.status == 303 && accepted.location == "/@alice.test/requests")
    let left = try await page("requests")
    #expect(!left.contains("data-row=\"\(try user.did("dave"))\""))
  }

  @Test func aPlanAnswersOnlyTheVersionsThatWereShown() async throws {
    let inbox = try await page("requests")
    let actors = try ["bob", "dave"].map { try value("accept", $0, in: inbox).dropFirst(7) }
    for actor in actors { #expect(inbox.contains("name=\"actor\" value=\"\(actor)\"")) }
    try await ask("dave", FriendRequestDraft(.follow))
    let planned = await change(["do": "accept", "actor": String(actors[0]), "actor": String(actors[1])])
    let job = try #require(planned.location, "\(planned.text)")
    let plan = await visitor.get(job).text
    #expect(try await !isFriend("bob"), "nothing is done before a yes")
    let digest = try #require(plan.firstMatch(of: /name="digest" value="([0-9a-f]{64})"/)).1
    #expect(await visitor.post("\(job)/approve", form: ["digest": String(digest)]).status == 303)
    try await untilJobsAreDone()
    #expect(try await isFriend("bob"))
    let left = try await page("requests")
    #expect(left.contains("data-row=\"\(try user.did("dave"))\""), "what he asks now was not shown")
  }

  @Test func aScriptGetsTheAnswerAndAnUndo() async throws {
    let decline = try value("decline", "dave", in: try await page("requests"))
    let answer = await change(["do": decline, "styles": "compact outlined", "back": "/@alice.test/requests"])
    #expect(answer.status == 200 && answer.text.contains("You have declined the request of <bdi>Dave</bdi>."))
    #expect(
      answer.text.contains("class=\"fbw\"") && answer.text.contains("action=\"/@alice.test/jobs/1/undo\""))
    let dave = "data-row=\"\(try user.did("dave"))\""
    #expect(try await !page("requests").contains(dave))
    let undone = await visitor.post("/@alice.test/jobs/1/undo", form: ["back": "/@alice.test/requests"])
    #expect(undone.location == "/@alice.test/requests")
    try await eventually { try await page("requests").contains(dave) }
  }

  @Test func aServerThatFailsIsNotAnEmptyInbox() async throws {
    let failing = FailingMethods(network: network, methods: ["com.atproto.repo.getRecord"])
    let visitor = try await Visitor(
      Dashboard(user.workspace(over: failing), at: DashboardPlace(port: 4_000)), port: 4_000)
    let page = try await clock.whileAdvancing { try await visitor.get("/@alice.test/requests").page }
    #expect(
      page.contains("Some requests may be missing.") || page.contains("role=\"alert\""),
      "\(page.suffix(2_000))")
    #expect(!page.contains("No request waits for you"))
  }

  @Test func aPageBeyondTheEndLeadsToTheFirst() async throws {
    let page = try await page("requests?page=7")
    #expect(page.contains("The inbox has no page 7.") && page.contains("href=\"/@alice.test/requests\""))
  }

  @Test(arguments: [
    "requests?page=0", "requests?page=x", "requests?after=-1", "friends?most=0", "friends?most=1001",
    "discover?by=none", "discover?most=0", "discover?most=201", "discover?most=x",
    "discover?q=\(String(repeating: "q", count: 301))",
  ])
  func aWrongParameterIsNamed(target: String) async {
    let response = await visitor.get("/@alice.test/\(target)")
    #expect(response.status == 400, "\(response.status)")
    #expect(response.text.contains("<h1>") && response.text.contains("role=\"alert\""))
  }

  @Test(
    arguments: [
      (["do": "accept bob.test bafy"], "bafy is not a CID"),
      (["do": "accept", "actor": "bob.test x"], "x is not a CID"),
      (["do": "accept"], "no account was selected"), (["do": "befriend bob.test"], "it names no change"),
      (["do": "accept", "actor": "bob.test"], "requests are accepted only after they were shown"),
    ] as [(KeyValuePairs<String, String>, String)])
  func anAnswerThatSaysTooLittleIsRefused(items: KeyValuePairs<String, String>, words: String) async throws {
    let response = await change(items)
    #expect(response.status == 400 && response.text.contains(words), "\(response.text)")
    #expect(try await user.run(ListJobs()).rows.isEmpty)
  }

  // MARK: Sent

  @Test func aSentRequestCanBeWithdrawn() async throws {
    let sent = try await page("requests/sent")
    let niaj = try user.did("niaj")
    #expect(sent.contains("No answer yet") && sent.contains("“No answer” covers not seen and declined."))
    #expect(sent.contains("value=\"cancel \(niaj)\""))
    let cancelled = await change(["do": "cancel \(niaj)", "back": "/@alice.test/requests/sent"])
    #expect(cancelled.location == "/@alice.test/requests/sent", "\(cancelled.text)")
    #expect(try await page("requests/sent").contains("You have not asked anyone"))
  }

  @Test func whatBecameOfASentRequestIsInWords() async throws {
    let end = Datetime(at: network.time.instant + .seconds(7 * 3_600))
    try await ask("alice", FriendRequestDraft(.follow, expiresAt: end), of: "dave")
    clock.advance(by: .seconds(8 * 3_600))
    let judy = try user.did("judy")
    #expect(await change(["do": "friend \(judy)"]).status == 303)
    try await (ServedUser("judy", on: network)).accept("alice")
    let sent = try await page("requests/sent")
    #expect(sent.contains("<span class=\"m\">Ended on ") && sent.contains("you can ask again"))
    #expect(sent.contains("value=\"request \(try user.did("dave"))\""), "it asks for the same again")
    #expect(
      sent.contains("<span class=\"good\">Accepted ") && sent.contains("Friendship: you are friends now"))
  }

  // MARK: Friends

  @Test func friendsComeBeforeMutualsWithWhatCanBeDone() async throws {
    let friends = try await page("friends")
    let (carol, bob) = (try user.did("carol"), try user.did("bob"))
    let first = try #require(friends.firstMatch(of: /data-row="([^"]+)"/)).1
    #expect(first == "\(carol)" && friends.contains("data-row=\"\(bob)\""))
    #expect(friends.contains("ask/remove/\(carol)?back=%2F@alice.test%2Ffriends"))
    #expect(!friends.contains("ask/remove/\(bob)") && friends.contains("value=\"friend \(bob)\""))
    #expect(friends.contains("1 friend by consent, "))
    let question = await visitor.get("/@alice.test/ask/remove/\(carol)?back=%2F@alice.test%2Ffriends").text
    #expect(question.contains("name=\"back\" value=\"/@alice.test/friends\""))
    let ended = await change(["do": "remove \(carol)", "confirmed": "yes", "back": "/@alice.test/friends"])
    #expect(ended.location == "/@alice.test/friends", "\(ended.text)")
    #expect(try await !page("friends").contains("ask/remove/\(carol)"))
  }

  @Test func aLinkCannotLeadBackToAnotherSite() async throws {
    let carol = try user.did("carol")
    for back in ["https%3A%2F%2Fevil.test", "%2F%2Fevil.test", "%2F%40a%2F%2Fevil.test"] {
      let question = await visitor.get("/@alice.test/ask/remove/\(carol)?back=\(back)").text
      #expect(
        question.contains("name=\"back\" value=\"/@alice.test/profile/\(carol)\"")
          && !question.contains("evil"))
    }
  }

  // MARK: Hostile names

  @Test(arguments: [("requests", "Bob"), ("requests/sent", "Niaj"), ("friends", "Carol")])
  func aHostileNameHasNoEffect(target: String, name: String) async throws {
    let renamed = RenamedAccount(network: network, name: name)
    let visitor = try await Visitor(
      Dashboard(user.workspace(over: renamed), at: DashboardPlace(port: 4_000)), port: 4_000)
    let page = try await visitor.get("/@alice.test/\(target)").page
    #expect(RenamedAccount.isHarmless(in: page), "\(page.suffix(3_000))")
  }
}

extension ServedUser {
  /// Accepts the open request of one of the cast.
  fileprivate func accept(_ name: String) async throws {
    var accept = ChangeFriends(.accept, AccountChoice(TargetStream(origins: [.argument("\(name).test")])))
    accept.asking = .friend
    #expect(try await run(Change(accept)).rows.map(\.state) == [.done])
  }
}

extension ManualClock {
  /// Lets time pass while something runs that waits for it.
  func whileAdvancing<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let time = Task { while !Task.isCancelled { await untilAsleep(1); advanceToNextSleeper() } }
    defer { advance(by: .zero) }
    defer { time.cancel() }
    return try await work()
  }
}
