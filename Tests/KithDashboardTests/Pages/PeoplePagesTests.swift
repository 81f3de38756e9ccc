// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import KithLocalMessages
import KithRelationships
import KithWriting
import TestSupport
import Testing

@testable import KithDashboard
@testable import KithOperations
@testable import KithSandbox
@testable import SandboxSupport

/// Profiles, lists, and what is done about accounts, as a browser without a script meets them.
@Suite(.timeLimit(.minutes(1))) final class PeoplePagesTests {
  private let clock = ManualClock()
  private let network: FaultyNetwork
  private let user: ServedUser
  private let dashboard: Dashboard
  private let visitor: Visitor
  private let root = FileManager.default.temporaryDirectory.appending(
    path: "kith-dashboard-\(UUID().uuidString)"
  ).path()
  private var memory: DashboardMemory { DashboardMemory(in: SecureFolder(path: "\(root)/data")) }

  init() async throws {
    network = FaultyNetwork(clock: clock)
    user = try await ServedUser(on: network)
    dashboard = Dashboard(user.workspace(), at: DashboardPlace(port: 4_000))
    visitor = try await Visitor(dashboard, port: 4_000)
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  private func get(_ target: String) async -> LocalResponse { await visitor.get("/@alice.test/\(target)") }

  private func change(_ items: KeyValuePairs<String, String>) async -> LocalResponse {
    await visitor.post("/@alice.test/change", form: items)
  }

  /// Whether the repository of alice has a record about an account.
  private func has(_ collection: NSID, _ name: String) throws -> Bool {
    let subject = try user.did(name).description
    return network.records(of: try user.did("alice"), in: collection).contains {
      $0.value.object?["subject"] == .string(subject)
    }
  }

  private func isFollowing(_ name: String) throws -> Bool { try has(.follow, name) }

  private func untilJobsAreDone(_ count: Int = 1) async throws {
    try await eventually {
      let rows = try await user.run(ListJobs()).rows
      return rows.count == count && rows.allSatisfy { $0.job.state.isEnded && $0.summary.holder == nil }
    }
  }

  // MARK: Profiles

  @Test func aProfileSaysHowTheAccountsAreRelated() async throws {
    let page = await get("profile/bob.test")
    let bob = try user.did("bob")
    #expect(page.status == 200)
    for part in [
      "<h1 id=\"name\"><bdi>Bob</bdi></h1>", "data-s=\"mutual\"", "value=\"unfollow \(bob)\"",
      "ask/block/\(bob)", "report/\(bob)", "ask/mute/\(bob)", "profile/\(bob)/followers",
      "data-count=\"\(bob) followers\"", "Counted by the AppView",
    ] {
      #expect(page.text.contains(part), "it lacks \(part)")
    }
  }

  @Test func theOwnProfileIsEditedAndNotFollowed() async throws {
    let page = await get("profile/\(try user.did("alice"))")
    #expect(page.text.contains("/@alice.test/edit") && !page.text.contains("data-s=\""))
    #expect(page.text.contains("href=\"/@alice.test/followers\""), "its counts lead to the own lists")
  }

  @Test(arguments: [
    "profile/x", "profile/%00", "profile/no-one.test", "profile/did:plc:aaaaaaaaaaaaaaaaaaaaaaaa",
  ])
  func aProfileThatIsNotThereIsSaid(target: String) async {
    let page = await get(target)
    #expect(page.text.contains("role=\"alert\"") || page.text.contains("does not exist"), "\(page.status)")
    #expect(!page.text.contains("data-s=\"follow\""), "it is not offered to be followed")
  }

  @Test func theListsOfOthersHaveTheirAddress() async throws {
    let bob = try user.did("bob")
    let page = await get("profile/\(bob)/followers")
    #expect(page.status == 200 && page.text.contains("Followers of "))
    #expect(page.text.contains("/@alice.test/profile/\(bob)/following"))
  }

  // MARK: Changes

  @Test func aFollowWithoutAScriptLeadsBack() async throws {
    let carol = try user.did("carol")
    network.live.unlink(.follow, from: try user.did("alice"), to: carol)
    let answer = await change(["do": "follow \(carol)", "back": "/@alice.test/followers?from=101"])
    #expect(answer.status == 303 && answer.location == "/@alice.test/followers?from=101")
    #expect(try isFollowing("carol"))
  }

  @Test func aFollowByTheScriptAnswersWithTheButtonAndAnUndo() async throws {
    let carol = try user.did("carol")
    network.live.unlink(.follow, from: try user.did("alice"), to: carol)
    let answer = await change(["do": "follow \(carol)", "styles": "compact outlined"])
    #expect(answer.status == 200, "\(answer.text)")
    for part in [
      "data-s=\"following\"", "fb compact outlined", "role=\"status\"", "jobs/1/undo",
      "You follow <bdi>Carol</bdi>.",
    ] {
      #expect(answer.text.contains(part), "it lacks \(part): \(answer.text)")
    }
  }

  @Test func whatTheAppViewDoesNotShowYetIsNotTakenBack() async throws {
    let carol = try user.did("carol")
    network.live.unlink(.follow, from: try user.did("alice"), to: carol)
    network.begin(.lagging)
    _ = await change(["do": "follow \(carol)", "styles": "standard"])
    let poll = await get("button/\(carol)?styles=standard")
    #expect(poll.text.contains("data-s=\"following\""), "\(poll.text)")
  }

  @Test func aRefusedFollowSaysWhyAndShowsTheFormerState() async throws {
    let carol = try user.did("carol")
    network.live.unlink(.follow, from: try user.did("alice"), to: carol)
    network.begin(.writesRefused)
    let answer = await change(["do": "follow \(carol)", "styles": "standard"])
    #expect(
      answer.text.contains("role=\"alert\"") && answer.text.contains("Not followed: "), "\(answer.text)")
    #expect(answer.text.contains("data-s=\"follow\"") && !answer.text.contains("class=\"toast\""))
    let page = await change(["do": "follow \(carol)", "back": "/@alice.test"])
    #expect(page.status == 200 && page.text.contains("Not followed: "))
  }

  @Test func aBlockIsAskedAboutInItsWords() async throws {
    let bob = try user.did("bob")
    let straight = await change(["do": "block \(bob)"])
    #expect(straight.location == "/@alice.test/ask/block/\(bob)", "it is asked first")
    let question = await get("ask/block/bob.test")
    for part in [
      "public records", "It does not come back", "Only they can delete it", "Report first",
      "name=\"confirmed\" value=\"yes\"",
    ] {
      #expect(question.text.contains(part), "it lacks \(part)")
    }
    #expect(try !has(.block, "bob"))
    _ = await change(["do": "block \(bob)", "confirmed": "yes", "days": "7"])
    #expect(try has(.block, "bob"))
    let list = await get("blocked")
    #expect(
      list.text.contains("ask/unblock/\(bob)") && list.text.contains("class=\"warn\""), "its end is shown")
    _ = await change(["do": "unblock \(bob)", "confirmed": "yes"])
    #expect(try !has(.block, "bob"))
    #expect(try !isFollowing("bob"), "the follow does not come back")
  }

  @Test func aMuteCanBeOfAPartAndEnd() async throws {
    let bob = try user.did("bob")
    let answer = await change(["do": "mute \(bob)", "confirmed": "yes", "scope": "reposts", "days": "1"])
    #expect(answer.status == 303)
    let page = await get("profile/\(bob)")
    #expect(page.text.contains("Reposts muted until"), "\(page.text)")
    #expect(page.text.contains("value=\"unmute \(bob)\""))
  }

  @Test(arguments: [
    "https://evil.test/", "//evil.test", "/@alice.test//evil.test", "/\\evil.test", "javascript:alert(1)",
    "/@alice.test/\r\nSet-Cookie:x", "",
  ])
  func aFormLeadsToNoOtherSite(back: String) async throws {
    let answer = await change(["do": "mute \(try user.did("bob"))", "confirmed": "yes", "back": back])
    #expect(answer.location == "/@alice.test/profile/\(try user.did("bob"))")
  }

  @Test(arguments: [
    [("do", "")], [("do", "befriend did:plc:x")], [("do", "follow")], [("do", "unfollow"), ("actor", "")],
    [("do", "follow not a name")], [("do", "mute bob.test"), ("confirmed", "yes"), ("days", "0")],
    [("do", "accept bob.test x")], [("do", "check x")],
  ])
  func aWrongOrderChangesNothing(items: [(String, String)]) async throws {
    let body = items.map { "\($0.0)=\(QueryItems.encoded($0.1))" }.joined(separator: "&")
    let answer = await visitor.post("/@alice.test/change", body, type: "application/x-www-form-urlencoded")
    #expect(answer.status == 400 || answer.status == 404, "\(answer.status) \(answer.location ?? "")")
    #expect(answer.text.contains("role=\"alert\""))
    #expect(try await user.run(ListJobs()).rows.isEmpty)
  }

  // MARK: Plans

  @Test func selectedAccountsArePlannedShownAndApproved() async throws {
    let (bob, carol) = (try user.did("bob"), try user.did("carol"))
    let body = "do=unfollow&actor=\(bob)&actor=\(carol)&back=/@alice.test/following"
    let planned = await visitor.post("/@alice.test/change", body, type: "application/x-www-form-urlencoded")
    #expect(planned.location == "/@alice.test/jobs/1")
    #expect(try isFollowing("bob"), "nothing is done yet")
    let plan = await get("jobs/1")
    for part in [
      "<bdi>bob.test</bdi>", "<bdi>carol.test</bdi>", "Unfollow 2 accounts", "aria-current=\"step\"",
      "They are not notified.",
    ] {
      #expect(plan.text.contains(part), "it lacks \(part)")
    }
    let digest = try #require(plan.text.firstMatch(of: /name="digest" value="([0-9a-f]{64})"/))
    let approved = await visitor.post("/@alice.test/jobs/1/approve", form: ["digest": String(digest.1)])
    #expect(approved.location == "/@alice.test/jobs/1")
    try await untilJobsAreDone()
    #expect(try !isFollowing("bob") && !isFollowing("carol"))
    let done = await get("jobs/1")
    #expect(done.text.contains("2 done") && done.text.contains("jobs/1/undo"))
  }

  @Test func allOfAListIsPlannedWithItsFilter() async throws {
    let body = "do=unfollow&all=yes&list=mutuals&where=handle+contains+bob"
    let planned = await visitor.post("/@alice.test/change", body, type: "application/x-www-form-urlencoded")
    #expect(planned.location == "/@alice.test/jobs/1", "\(planned.text)")
    let plan = await get("jobs/1")
    #expect(plan.text.contains("Unfollow 1 account") && plan.text.contains("bob.test"))
  }

  @Test func aPlanThatChangesNothingSaysSo() async throws {
    let answer = await change([
      "do": "unmute", "actor": "\(try user.did("bob"))", "back": "/@alice.test/muted",
    ])
    #expect(answer.status == 200 && answer.text.contains("Nothing would change"), "\(answer.text)")
  }

  @Test func aJobThatIsNotThereIsSaid() async {
    for target in ["jobs/7", "jobs/x", "jobs/0"] {
      let page = await get(target)
      #expect(page.status >= 400 && page.text.contains("role=\"alert\""))
    }
  }

  @Test func theNextServerContinuesWhatTheFormerOneWasRunning() async throws {
    let former = Dashboard(user.workspace(), at: DashboardPlace(port: 4_001), remembering: memory)
    let browser = try await Visitor(former, port: 4_001)
    let (niaj, judy) = (try user.did("niaj"), try user.did("judy"))
    let body = "do=follow&actor=\(niaj)&actor=\(judy)"
    _ = await browser.post("/@alice.test/change", body, type: "application/x-www-form-urlencoded")
    let plan = await browser.get("/@alice.test/jobs/1")
    let digest = try #require(plan.text.firstMatch(of: /name="digest" value="([0-9a-f]{64})"/))
    network.begin(.writesFail)
    async let approved = browser.post("/@alice.test/jobs/1/approve", form: ["digest": String(digest.1)])
    try await eventually { memory.unfinished == [1] }
    await former.stop()
    _ = await approved
    #expect(memory.unfinished == [1], "it ended with the server")
    network.begin(.none)
    let next = Dashboard(user.workspace(), at: DashboardPlace(port: 4_002), remembering: memory)
    let run = Task { try await next.run() }
    defer { run.cancel() }
    try await untilJobsAreDone()
    #expect(try isFollowing("niaj") && isFollowing("judy"))
    try await eventually { memory.unfinished.isEmpty }
  }

  // MARK: Lists

  @Test func aListIsSearchedFilteredAndSorted() async throws {
    let search = await get("following?q=bob")
    #expect(search.text.contains("<bdi>bob.test</bdi>") && !search.text.contains("<bdi>carol.test</bdi>"))
    let filter = await get("following?where=not+followed-by&sort=handle")
    #expect(filter.text.contains("<bdi>carol.test</bdi>") && !filter.text.contains("<bdi>bob.test</bdi>"))
    #expect(filter.text.contains("<option value=\"handle\" selected>"))
    let nothing = await get("following?q=zzzzzz")
    #expect(nothing.text.contains("No account matches") && nothing.text.contains("Show all"))
  }

  @Test func aWrongFilterIsSaidWithItsPlace() async {
    let page = await get("following?where=follwing")
    #expect(page.text.contains("role=\"alert\"") && page.text.contains("character 1"), "\(page.text)")
    #expect(page.text.contains("value=\"follwing\""), "what was typed stays")
    #expect(await get("following?sort=age").status == 400)
  }

  @Test func aFilterIsHelpedWhileItIsTyped() async {
    let help = await get("filter?where=mutual+and+foll&list=following")
    for part in [
      "role=\"option\"", "data-value=\"mutual and followers &gt; 1000\"",
      "data-value=\"mutual and following\"",
    ] {
      #expect(help.text.contains(part), "it lacks \(part): \(help.text)")
    }
    #expect(!help.text.contains("unknown word"), "a word that is not finished is not wrong")
    let wrong = await get("filter?where=mutual+annd+x&list=following")
    #expect(wrong.text.contains("character"), "\(wrong.text)")
    let whole = await get("filter?where=mutual&list=following")
    #expect(whole.text.contains("Not applied yet") && whole.text.contains("call"), "\(whole.text)")
  }

  @Test func aListIsExportedWhole() async throws {
    let csv = await get("following/export?as=csv&q=bob")
    let (streamed, type) = (try await csv.whole(), csv.contentType)
    let lines = streamed.split(separator: "\r\n")
    #expect(type == "text/csv; charset=utf-8" && lines.count == 2 && lines[0].hasPrefix("did,handle,"))
    #expect(lines[1].contains("bob.test"))
    let json = try await get("following/export?as=json").whole()
    struct Row: Decodable { let did: String }
    let rows = try JSONCoding.decode([Row].self, from: Array(json.utf8))
    #expect(rows.count > 1)
    #expect(await get("following/export?as=xml").status == 400)
  }

  @Test func anEmptyListIsFriendly() async throws {
    for account in network.accounts.accounts {
      network.live.unlink(.block, from: try user.did("alice"), to: account.did)
    }
    let page = await get("blocked")
    #expect(page.text.contains("class=\"card empty\"") && page.text.contains("This account blocks no one."))
  }

  // MARK: Reports

  @Test func aReportNeedsAReasonAndIsSentOnce() async throws {
    let bob = try user.did("bob")
    #expect(await get("report/\(bob)").text.contains("name=\"reason\" value=\"spam\""))
    let without = await visitor.post("/@alice.test/report/\(bob)", form: ["text": "x"])
    #expect(without.status == 400 && without.text.contains("reason"))
    let sent = await visitor.post("/@alice.test/report/\(bob)", form: ["reason": "spam"])
    #expect(
      sent.text.contains("The report was sent") || sent.text.contains("The report was not sent"),
      "\(sent.text)")
    #expect(try !has(.block, "bob"), "it blocks nothing by itself")
  }
}

extension LocalResponse {
  /// All that it sends.
  fileprivate func whole() async throws -> String {
    guard case .streamed(let handler) = delivery else { return text }
    let sent = PosixMutex<[UInt8]>([])
    try await handler.run { bytes in sent.withLock { $0 += bytes } }
    return String(decoding: sent.withLock(\.self), as: UTF8.self)
  }
}
