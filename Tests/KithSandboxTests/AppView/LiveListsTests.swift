// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLexicons
import Testing

@testable import KithSandbox

/// Lists, list blocks and starter packs that are created while the sandbox runs.
@Suite struct LiveListsTests {
  private typealias Graph = App.Bsky.Graph

  private func list(_ name: String, _ purpose: String) -> DataValue {
    [
      "$type": "app.bsky.graph.list", "name": .string(name),
      "purpose": .string("app.bsky.graph.defs#\(purpose)"), "createdAt": "2025-06-01T00:00:00Z",
    ]
  }

  private func item(_ subject: DID, of list: ATURI) -> DataValue {
    [
      "$type": "app.bsky.graph.listitem", "subject": .string(subject.description),
      "list": .string(list.description), "createdAt": "2025-06-01T00:00:00Z",
    ]
  }

  private func block(_ list: ATURI) -> DataValue {
    [
      "$type": "app.bsky.graph.listblock", "subject": .string(list.description),
      "createdAt": "2025-06-01T00:00:00Z",
    ]
  }

  @Test func blockTheirMembersOnceBlocked() throws {
    let alice = try PDSQuestions()
    let bob = alice.questions.did(.bob)
    let list = try alice.create(list("Birds", "modlist"), in: Graph.List.nsid).uri
    let item = try alice.create(item(bob, of: list), in: Graph.Listitem.nsid).uri
    #expect(try alice.relationship(bob).blockingByList == nil)
    let block = try alice.create(block(list), in: Graph.Listblock.nsid).uri
    #expect(try alice.relationship(bob).blockingByList == list)
    let shown = try alice.ask(Graph.GetList.self, .init(list: list))
    #expect(shown.list.name == "Birds" && shown.list.listItemCount == 1)
    #expect(shown.items.map(\.uri) == [item] && shown.items.first?.subject.did == bob)
    #expect(shown.list.viewer?.blocked == block)
    _ = try alice.delete(item)
    #expect(try alice.relationship(bob).blockingByList == nil)
    #expect(try alice.ask(Graph.GetList.self, .init(list: list)).items.isEmpty)
  }

  /// Q6: getRelationships does not check the list record, the viewer state does.
  @Test func stillBlockInRelationshipsAfterDeletion() throws {
    let alice = try PDSQuestions()
    let bob = alice.questions.did(.bob)
    let list = try alice.create(list("Birds", "modlist"), in: Graph.List.nsid).uri
    _ = try alice.create(item(bob, of: list), in: Graph.Listitem.nsid)
    _ = try alice.create(block(list), in: Graph.Listblock.nsid)
    _ = try alice.delete(list)
    #expect(try alice.relationship(bob).blockingByList == list)
    let profile = try alice.ask(App.Bsky.Actor.GetProfile.self, .init(actor: .did(bob)))
    #expect(profile.viewer?.blocking == nil && profile.viewer?.following != nil)
    #expect(throws: XRPCFault.self) { try alice.ask(Graph.GetList.self, .init(list: list)) }
  }

  @Test func acceptMembersOnlyFromTheirOwner() throws {
    let alice = try PDSQuestions()
    let loud = SandboxQuestions.network.uri(ofList: 2)
    let before = try alice.ask(Graph.GetList.self, .init(list: loud)).list.listItemCount
    _ = try alice.create(item(alice.questions.did(.bob), of: loud), in: Graph.Listitem.nsid)
    #expect(try alice.ask(Graph.GetList.self, .init(list: loud)).list.listItemCount == before)
  }

  @Test func areListedByOwnerAndPurpose() throws {
    let grace = try PDSQuestions(.grace)
    let new = try grace.create(list("Trains", "curatelist"), in: Graph.List.nsid).uri
    _ = try grace.create(list("For a pack", "referencelist"), in: Graph.List.nsid)
    func names(_ purposes: [Graph.GetLists.Parameters.PurposesElement]?) throws -> [String] {
      try grace.ask(Graph.GetLists.self, .init(actor: .did(grace.did), purposes: purposes)).lists.map(\.name)
    }
    #expect(try names(nil) == ["Trains", "Book people", "Spam and scams"])
    #expect(try names([.modlist]) == ["Spam and scams"])
    #expect(try names([.curatelist]) == ["Trains", "Book people"])
    // The name of an initial list can change.
    var spam = SandboxQuestions.network.content(of: .list(0)).value.object ?? [:]
    spam["name"] = "Spam"
    _ = try grace.call(
      Com.Atproto.Repo.PutRecord.self,
      .init(
        repo: .did(grace.did), collection: Graph.List.nsid,
        rkey: try #require(SandboxQuestions.network.uri(ofList: 0).recordKey), record: .object(spam)))
    #expect(try names([.modlist]) == ["Spam"])
    _ = try grace.delete(new)
    #expect(try names(nil) == ["Book people", "Spam"])
  }

  @Test func backStarterPacks() throws {
    let grace = try PDSQuestions(.grace)
    func packs() throws -> [Graph.Defs.StarterPackViewBasic] {
      try grace.ask(Graph.GetActorStarterPacks.self, .init(actor: .did(grace.did))).starterPacks
    }
    let readers = try #require(try packs().first)
    #expect(readers.record["name"]?.string == "Book people" && readers.listItemCount == 102)
    let shown = try grace.ask(Graph.GetStarterPack.self, .init(starterPack: readers.uri)).starterPack
    #expect(shown.list?.name == "Book people" && shown.listItemsSample?.count == 12)
    let made = try grace.create(
      [
        "$type": "app.bsky.graph.starterpack", "name": "Birds",
        "list": .string(SandboxQuestions.network.uri(ofList: 1).description),
        "createdAt": "2025-06-01T00:00:00Z",
      ], in: Graph.Starterpack.nsid
    ).uri
    #expect(try packs().map(\.uri) == [made, readers.uri])
    _ = try grace.delete(readers.uri)
    #expect(try packs().map(\.uri) == [made])
    #expect(throws: XRPCFault.self) {
      try grace.ask(Graph.GetStarterPack.self, .init(starterPack: readers.uri))
    }
  }

  /// Q21: the AppView indexes a commit only after its lag.
  @Test func appearAfterTheAppViewsLag() throws {
    let alice = try PDSQuestions(writing: SandboxWriting(lag: .seconds(10)))
    let niaj = alice.questions.did(.niaj)
    let first = try alice.create(alice.follow(niaj))
    alice.pass(6)
    let bob = try #require(try alice.relationship(alice.questions.did(.bob)).following)
    _ = try alice.delete(bob)
    alice.pass(3)
    #expect(try alice.relationship(niaj).following == nil)
    #expect(try alice.records(limit: 1).first?.records.first?.uri == first.uri)
    alice.pass(1)
    #expect(try alice.relationship(niaj).following == first.uri)
    #expect(try alice.relationship(alice.questions.did(.bob)).following == bob)
    alice.pass(6)
    #expect(try alice.relationship(alice.questions.did(.bob)).following == nil)
  }

  @Test func followsOfUnknownAccountsAreShown() throws {
    let alice = try PDSQuestions()
    let ghost = try DID(parsing: "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa")
    let uri = try alice.create(alice.follow(ghost)).uri
    #expect(try alice.relationship(ghost).following == uri)
    let profile = try alice.ask(App.Bsky.Actor.GetProfile.self, .init(actor: .did(alice.did)))
    #expect(
      profile.followsCount == SandboxQuestions.network.follows.edges(from: NamedAccount.alice.rawValue).count
        + 1)
    let listed = try alice.questions.pages(
      {
        try alice.questions.ask(
          Graph.GetFollows.self, .init(actor: .did(alice.did), limit: 100, cursor: $0))
      }, cursor: \.cursor)
    #expect(!listed.flatMap(\.follows).contains { $0.did == ghost })
    _ = try alice.delete(uri)
    #expect(try alice.relationship(ghost).following == nil)
  }
}
