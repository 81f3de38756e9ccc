// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLexicons
import Testing

@Suite struct GetRelationshipsTests {
  typealias Method = App.Bsky.Graph.GetRelationships

  @Test func repeatsTheParameterOfAnArray() throws {
    let parameters = Method.Parameters(
      actor: try ATIdentifier(parsing: "alice.test"),
      others: [try ATIdentifier(parsing: "did:web:a.test"), try ATIdentifier(parsing: "did:web:b.test")])
    #expect(
      parameters.queryItems == [
        XRPCQueryItem("actor", "alice.test"), XRPCQueryItem("others", "did:web:a.test"),
        XRPCQueryItem("others", "did:web:b.test"),
      ])
  }

  @Test func leavesOutParametersThatAreAbsent() throws {
    let parameters = Method.Parameters(actor: try ATIdentifier(parsing: "alice.test"))
    #expect(parameters.queryItems == [XRPCQueryItem("actor", "alice.test")])
  }

  @Test(arguments: [0, 30]) func acceptsUpToThirtyOthers(count: Int) throws {
    try parameters(others: count).validate()
  }

  @Test func refusesThirtyOneOthers() throws {
    let parameters = try parameters(others: 31)
    expectInvalid("others") {
      try parameters.validate()
    }
  }

  private func parameters(others: Int) throws -> Method.Parameters {
    let actor = try ATIdentifier(parsing: "did:plc:ewvi7nxzyoun6zhxrhs64oiz")
    return Method.Parameters(actor: actor, others: Array(repeating: actor, count: others))
  }

  @Test func readsEachKindOfAnswer() throws {
    let json = """
      {"actor":"did:web:alice.test","relationships":[
      {"$type":"app.bsky.graph.defs#relationship","did":"did:web:bob.test",
      "following":"at://did:web:alice.test/app.bsky.graph.follow/3jui7kd54zh2y"},
      {"$type":"app.bsky.graph.defs#notFoundActor","actor":"gone.test","notFound":true},
      {"$type":"app.bsky.graph.defs#later","did":"did:web:carol.test","more":[1,null]}]}
      """
    let output = try Method.Output(payload: Array(json.utf8))
    #expect(output.actor == DID("did:web:alice.test"))
    try #require(output.relationships.count == 3)
    guard case .relationship(let relationship) = output.relationships[0],
      case .notFoundActor(let missing) = output.relationships[1],
      case .unknown(let unknown) = output.relationships[2]
    else {
      Issue.record("\(output.relationships)")
      return
    }
    #expect(relationship.did == DID("did:web:bob.test"))
    #expect(relationship.following?.description.hasSuffix("/3jui7kd54zh2y") == true)
    #expect(relationship.followedBy == nil)
    #expect(missing.actor == ATIdentifier("gone.test"))
    #expect(missing.notFound)
    #expect(unknown.type == "app.bsky.graph.defs#later")
    #expect(unknown.value["more"] == [1, nil])
    #expect(try Method.Output(payload: output.payload()) == output)
  }

  @Test func saysWhereAnAnswerIsBroken() throws {
    let json = #"{"relationships":[{"$type":"app.bsky.graph.defs#relationship","did":"bob"}]}"#
    let error = try #require(throws: DecodingError.self) {
      try Method.Output(payload: Array(json.utf8))
    }
    guard case .dataCorrupted(let context) = error else {
      Issue.record(error)
      return
    }
    #expect(
      context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue } == [
        "relationships", "0", "did",
      ])
    let fault = #expect(throws: SyntaxError.self) { try DID(parsing: "bob") }
    #expect(context.debugDescription == fault?.description)
  }

  @Test func refusesAConstantOfAnotherValue() {
    let json =
      #"{"relationships":[{"$type":"app.bsky.graph.defs#notFoundActor","actor":"a.test","notFound":false}]}"#
    #expect(throws: DecodingError.self) { try Method.Output(payload: Array(json.utf8)) }
  }

  @Test func refusesAMemberWithoutType() {
    let json = #"{"relationships":[{"did":"did:web:bob.test"}]}"#
    #expect(throws: DecodingError.self) { try Method.Output(payload: Array(json.utf8)) }
  }

  @Test func namesItsErrors() {
    #expect(Method.ErrorName.actorNotFound == XRPCErrorName(rawValue: "ActorNotFound"))
    #expect(Method.nsid.description == "app.bsky.graph.getRelationships")
  }
}
