// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLexicons
import KithLocalMessages
import Testing

@testable import KithSandbox

@Suite struct ListsTests {
  private let refilled = SandboxQuestions()
  private let short = SandboxQuestions(paging: .short)

  private func followers(
    _ questions: SandboxQuestions, _ actor: NamedAccount, limit: Int? = nil
  ) throws
    -> [App.Bsky.Graph.GetFollowers.Output]
  {
    try questions.pages(
      {
        try questions.ask(
          App.Bsky.Graph.GetFollowers.self,
          App.Bsky.Graph.GetFollowers.Parameters(
            actor: .did(questions.did(actor)), limit: limit, cursor: $0))
      }, cursor: \.cursor)
  }

  private func follows(
    _ questions: SandboxQuestions, _ actor: NamedAccount, limit: Int? = nil
  ) throws
    -> [App.Bsky.Graph.GetFollows.Output]
  {
    try questions.pages(
      {
        try questions.ask(
          App.Bsky.Graph.GetFollows.self,
          App.Bsky.Graph.GetFollows.Parameters(actor: .did(questions.did(actor)), limit: limit, cursor: $0))
      }, cursor: \.cursor)
  }

  /// Q11: pages leave out blocks in either direction and inactive accounts; both are among the relationships.
  @Test func leavesOutBlocksAndInactiveAccounts() throws {
    let follows = Set(try follows(refilled, .alice).flatMap(\.follows).map(\.handle.description))
    #expect(follows.isSuperset(of: ["bob.test", "carol.test", "grace.test"]))
    #expect(follows.isDisjoint(with: ["frank.test", "oscar.test"]))
    let followers = Set(try followers(refilled, .alice).flatMap(\.followers).map(\.handle.description))
    #expect(followers.isSuperset(of: ["bob.test", "dave.test", "grace.test", "judy.test"]))
    #expect(followers.isDisjoint(with: ["erin.test", "mallory.test", "oscar.test", "trent.test"]))
  }

  /// Q12
  @Test func countsMoreThanItLists() throws {
    let listed = try followers(refilled, .alice).flatMap(\.followers).count
    let alice = try refilled.ask(
      App.Bsky.Actor.GetProfile.self,
      App.Bsky.Actor.GetProfile.Parameters(actor: .did(refilled.did(.alice))))
    #expect(listed > 150)
    #expect(try #require(alice.followersCount) > listed)
    #expect(alice.followersCount == refilled.network.follows.edges(to: NamedAccount.alice.rawValue).count)
  }

  @Test func showsTheSameAccountsHoweverItPages() throws {
    let once = try followers(refilled, .alice, limit: 100).flatMap(\.followers).map(\.did)
    let pages = try followers(short, .alice, limit: 20)
    #expect(pages.flatMap(\.followers).map(\.did) == once)
    #expect(pages.contains { $0.followers.isEmpty && $0.cursor != nil })
    #expect(pages.contains { (1..<20).contains($0.followers.count) && $0.cursor != nil })
    #expect(pages.last?.cursor == nil)
    #expect(try followers(refilled, .alice).first?.followers.count == 50)
  }

  @Test func endsWithoutACursorIfThereIsNothing() throws {
    let pages = try follows(refilled, .niaj)
    #expect(pages.count == 1 && pages[0].follows.isEmpty && pages[0].cursor == nil)
  }

  @Test func showsListsWithTheirMembers() throws {
    let uri = refilled.network.uri(ofList: 0)
    let pages = try refilled.pages(
      {
        try refilled.ask(
          App.Bsky.Graph.GetList.self, App.Bsky.Graph.GetList.Parameters(list: uri, limit: 60, cursor: $0))
      }, cursor: \.cursor)
    let list = try #require(pages.first?.list)
    #expect(list.uri == uri && list.name == "Spam and scams" && list.purpose == .modlist)
    #expect(list.creator.handle.description == "grace.test")
    #expect(list.listItemCount == 202)
    let items = pages.flatMap(\.items)
    #expect(Set(items.map(\.uri)).count == items.count)
    #expect((190...202).contains(items.count))
    #expect(items.contains { $0.subject.handle.description == "heidi.test" })
  }

  @Test(arguments: [
    "app.bsky.graph.getFollows?actor=nobody.test", "app.bsky.graph.getFollows?actor=oscar.test",
    "app.bsky.graph.getFollowers?actor=alice.test&limit=0",
    "app.bsky.graph.getFollowers?actor=alice.test&limit=101",
    "app.bsky.graph.getFollowers?actor=alice.test&limit=x",
    "app.bsky.graph.getFollowers?actor=alice.test&cursor=x",
    "app.bsky.graph.getList", "app.bsky.graph.getList?list=https://a.test",
    "app.bsky.graph.getList?list=at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/app.bsky.graph.list/3jui7kd54zh2y",
  ])
  func refusesMissingSubjects(question: String) {
    let parts = question.split(separator: "?", maxSplits: 1)
    let answer = refilled.raw("/xrpc/\(parts[0])", query: parts.count > 1 ? String(parts[1]) : "")
    #expect(answer.status == 400)
    #expect(refilled.fault(of: answer).name == "InvalidRequest")
  }
}
