// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLexicons
import KithLocalMessages
import Testing

@testable import KithSandbox

@Suite struct RelationshipsTests {
  private typealias Method = App.Bsky.Graph.GetRelationships
  private typealias Relationship = App.Bsky.Graph.Defs.Relationship
  private let questions = SandboxQuestions()

  private func ask(_ actor: ATIdentifier, _ others: [ATIdentifier]?) throws -> Method.Output {
    try questions.ask(Method.self, Method.Parameters(actor: actor, others: others))
  }

  private func related(_ element: Method.Output.RelationshipsElement) -> Relationship? {
    if case .relationship(let relationship) = element { relationship } else { nil }
  }

  private func notFound(_ element: Method.Output.RelationshipsElement) -> ATIdentifier? {
    if case .notFoundActor(let actor) = element { actor.actor } else { nil }
  }

  private func identifier(_ member: NamedAccount) -> ATIdentifier { .did(questions.did(member)) }

  @Test func returnsEachEdge() throws {
    let others: [NamedAccount] = [.bob, .erin, .frank, .heidi, .ivan, .niaj]
    let answer = try ask(identifier(.alice), others.map(identifier))
    let found = answer.relationships.compactMap(related)
    #expect(answer.actor == questions.did(.alice))
    #expect(found.map(\.did) == others.map(questions.did))
    #expect(found[0].following != nil && found[0].followedBy != nil && found[0].blocking == nil)
    // Q5: a follow shows despite a block.
    #expect(found[1].blocking != nil && found[1].followedBy != nil)
    #expect(found[2].blockedBy != nil && found[2].following != nil)
    // Q6: the list's URI, not the listblock record's.
    #expect(found[3].blockingByList?.collection?.description == "app.bsky.graph.list")
    #expect(found[3].blockingByList?.authority == identifier(.grace))
    #expect(found[4].blockedByList?.authority == identifier(.ivan))
    #expect(found[5] == Relationship(did: questions.did(.niaj)))
  }

  /// Q1
  @Test func doesNotResolveHandlesAmongTheOthers() throws {
    let bob = ATIdentifier.handle(try Handle(parsing: "bob.test"))
    let answer = try ask(.handle(try Handle(parsing: "alice.test")), [bob, identifier(.bob)])
    #expect(answer.actor == questions.did(.alice))
    #expect(answer.relationships.map(notFound) == [bob, nil])
  }

  /// Q2
  @Test func answersForUnknownDIDs() throws {
    let nobody = try DID(parsing: "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa")
    let answer = try ask(identifier(.alice), [.did(nobody), identifier(.oscar), identifier(.trent)])
    let found = answer.relationships.compactMap(related)
    #expect(found[0] == Relationship(did: nobody))
    #expect(found[1].following != nil && found[1].followedBy != nil)
    #expect(found[2].followedBy != nil)
    let reversed = try ask(.did(nobody), [identifier(.alice)])
    #expect(reversed.actor == nobody)
    #expect(reversed.relationships.compactMap(related) == [Relationship(did: questions.did(.alice))])
  }

  /// Q3
  @Test func hasNoActorForAnUnknownHandle() throws {
    let answer = try ask(.handle(try Handle(parsing: "nobody.test")), [identifier(.alice), identifier(.bob)])
    #expect(answer.actor == nil)
    #expect(answer.relationships.compactMap(notFound) == [identifier(.alice), identifier(.bob)])
  }

  /// Q4
  @Test func keepsOrderAndDuplicatesAndRecognizesOneself() throws {
    let others = [NamedAccount.bob, .alice, .carol, .bob].map(identifier)
    let answer = try ask(identifier(.alice), others)
    #expect(answer.relationships.compactMap(related).map { .did($0.did) } == others)
    #expect(related(answer.relationships[1]) == Relationship(did: questions.did(.alice)))
    #expect(answer.relationships[0] == answer.relationships[3])
    #expect(try ask(identifier(.alice), nil).relationships.isEmpty)
  }

  @Test func refusesMoreThanThirty() throws {
    #expect(
      try ask(identifier(.alice), Array(repeating: identifier(.bob), count: 30)).relationships.count == 30)
    let fault = #expect(throws: XRPCFault.self) {
      try ask(identifier(.alice), Array(repeating: identifier(.bob), count: 31))
    }
    #expect(fault?.status == 400 && fault?.name == "InvalidRequest")
  }

  @Test(arguments: ["", "actor=", "actor=alice", "actor=alice.test&others=bob", "actor=a.test&actor=b.test"])
  func refusesBadParameters(query: String) {
    let answer = questions.raw("/xrpc/app.bsky.graph.getRelationships", query: query)
    #expect(answer.status == 400)
    #expect(questions.fault(of: answer).name == "InvalidRequest")
  }
}
