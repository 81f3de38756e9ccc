// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLexicons
import Testing

@testable import KithSandbox

@Suite struct ProfilesTests {
  private let questions = SandboxQuestions()

  private func profile(_ actor: ATIdentifier) throws -> App.Bsky.Actor.Defs.ProfileViewDetailed {
    try questions.ask(
      App.Bsky.Actor.GetProfile.self, App.Bsky.Actor.GetProfile.Parameters(actor: actor))
  }

  private func handle(_ text: String) throws -> ATIdentifier { .handle(try Handle(parsing: text)) }

  private func search(
    _ text: String, limit: Int? = nil, cursor: String? = nil
  ) throws
    -> App.Bsky.Actor.SearchActors.Output
  {
    try questions.ask(
      App.Bsky.Actor.SearchActors.self,
      App.Bsky.Actor.SearchActors.Parameters(q: text, limit: limit, cursor: cursor))
  }

  @Test func showsAProfile() throws {
    let alice = try profile(handle("ALICE.test"))
    #expect(alice.did == questions.did(.alice))
    #expect(alice.displayName == "Alice")
    #expect(alice == (try profile(.did(questions.did(.alice)))))
  }

  /// Its document and its repository are fine; its follows are unknown, and follows of it are known.
  @Test func doesNotKnowAnAccountThatWasNotIndexed() throws {
    let bob = try Handle(parsing: "bob.test")
    let questions = SandboxQuestions(writing: SandboxWriting(unindexed: [bob]))
    let (alice, did) = (questions.did(.alice), questions.did(.bob))
    #expect(throws: XRPCFault(status: 400, name: "InvalidRequest", message: "Profile not found")) {
      try questions.ask(App.Bsky.Actor.GetProfile.self, .init(actor: .did(did)))
    }
    #expect(
      try questions.ask(App.Bsky.Actor.GetProfiles.self, .init(actors: [.did(did), .did(alice)])).profiles
        .map(\.did) == [alice])
    let follows = try questions.ask(App.Bsky.Graph.GetFollows.self, .init(actor: .did(alice), limit: 100))
    #expect(!follows.follows.contains { $0.did == did })
    let relationship = try questions.ask(
      App.Bsky.Graph.GetRelationships.self, .init(actor: .did(alice), others: [.did(did)]))
    guard case .relationship(let edges)? = relationship.relationships.first else {
      Issue.record("\(relationship)")
      return
    }
    #expect(edges.following != nil && edges.followedBy == nil)
    #expect(
      try questions.ask(Com.Atproto.Sync.GetRepoStatus.self, .init(did: did)).active == true)
  }

  @Test func reportsTheStatusOfAnAccount() throws {
    #expect(throws: XRPCFault(status: 400, name: "AccountDeactivated", message: "Account is deactivated")) {
      try profile(handle("oscar.test"))
    }
    #expect(throws: XRPCFault(status: 400, name: "AccountTakedown", message: "Account has been suspended")) {
      try profile(handle("trent.test"))
    }
    #expect(throws: XRPCFault(status: 400, name: "InvalidRequest", message: "Profile not found")) {
      try profile(handle("nobody.test"))
    }
  }

  /// Q14
  @Test func leavesOutHiddenAccountsAndKeepsTheOrder() throws {
    let actors = try ["bob.test", "oscar.test", "nobody.test", "trent.test", "alice.test", "bob.test"]
      .map(handle)
    let answer = try questions.ask(
      App.Bsky.Actor.GetProfiles.self, App.Bsky.Actor.GetProfiles.Parameters(actors: actors))
    #expect(answer.profiles.map(\.handle.description) == ["bob.test", "alice.test", "bob.test"])
  }

  @Test func refusesMoreThanTwentyFive() throws {
    let actors = Array(repeating: try handle("bob.test"), count: 26)
    let fault = #expect(throws: XRPCFault.self) {
      try questions.ask(
        App.Bsky.Actor.GetProfiles.self, App.Bsky.Actor.GetProfiles.Parameters(actors: actors))
    }
    #expect(fault?.name == "InvalidRequest")
  }

  @Test func searchesHandlesAndNames() throws {
    #expect(try search("@Alice").actors.map(\.handle.description) == ["alice.test"])
    for name in ["judy", "朱", "ジュディ", "🐳"] {
      #expect(try search(name).actors.map(\.handle.description) == ["judy.test"])
    }
    #expect(try search("ュディ").actors.isEmpty, "words are found from their beginning")
    #expect(try search("oscar").actors.isEmpty, "a deactivated account is not found")
    #expect(try search("no such name").actors.isEmpty)
    #expect(try search("").actors.isEmpty)
  }

  @Test func searchesPageByPage() throws {
    let all = try search("mei", limit: 100).actors.map(\.did)
    let pages = try questions.pages({ try search("mei", limit: 3, cursor: $0) }, cursor: \.cursor)
    #expect(pages.flatMap { $0.actors.map(\.did) } == all)
    #expect(all.count > 10)
  }
}
