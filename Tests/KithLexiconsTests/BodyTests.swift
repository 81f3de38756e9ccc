// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLexicons
import Testing

@Suite struct BodyTests {
  private func text(_ payload: some XRPCPayload) throws -> String {
    String(decoding: try payload.payload(), as: UTF8.self)
  }

  @Test func membersOfAClosedUnionCarryTheirType() throws {
    let input = Com.Atproto.Repo.ApplyWrites.Input(
      repo: try ATIdentifier(parsing: "did:web:a.test"), validate: false,
      writes: [
        .delete(
          Com.Atproto.Repo.ApplyWrites.Delete(
            collection: App.Bsky.Graph.Follow.nsid, rkey: try RecordKey(parsing: "3jui7kd54zh2y")))
      ])
    let expected = """
      {"repo":"did:web:a.test","validate":false,"writes":[{"$type":"com.atproto.repo.applyWrites#delete",\
      "collection":"app.bsky.graph.follow","rkey":"3jui7kd54zh2y"}]}
      """
    #expect(try text(input) == expected)
    #expect(try Com.Atproto.Repo.ApplyWrites.Input(payload: Array(expected.utf8)) == input)
  }

  @Test func aClosedUnionRefusesOthers() throws {
    let json = #"{"repo":"a.test","writes":[{"$type":"com.atproto.repo.applyWrites#move"}]}"#
    let error = try #require(throws: DecodingError.self) {
      try Com.Atproto.Repo.ApplyWrites.Input(payload: Array(json.utf8))
    }
    #expect("\(error)".contains("com.atproto.repo.applyWrites#move"))
  }

  @Test(arguments: [
    ("", nil), (#","swapRecord":null"#, Nullable<CID>.null),
    (
      #","swapRecord":"bafyreiclp443lavogvhj3d2ob2cxbfuscni2k5jk7bebjzg7khl3esabwq""#,
      CID("bafyreiclp443lavogvhj3d2ob2cxbfuscni2k5jk7bebjzg7khl3esabwq").map(Nullable.value)
    ),
  ]) func nullIsNotAbsent(field: String, swapRecord: Nullable<CID>?) throws {
    let input = Com.Atproto.Repo.PutRecord.Input(
      repo: try ATIdentifier(parsing: "a.test"), collection: App.Bsky.Actor.Profile.nsid,
      rkey: try RecordKey(parsing: "self"), record: [:], swapRecord: swapRecord)
    let json =
      #"{"collection":"app.bsky.actor.profile","record":{},"repo":"a.test","rkey":"self""# + field + "}"
    #expect(try text(input) == json)
    #expect(try Com.Atproto.Repo.PutRecord.Input(payload: Array(json.utf8)) == input)
  }

  @Test func aRecordToWriteIsAnObject() throws {
    var input = Com.Atproto.Repo.CreateRecord.Input(
      repo: try ATIdentifier(parsing: "a.test"), collection: App.Bsky.Graph.Block.nsid, record: "text")
    let fault = #expect(throws: ValidationError.self) { try input.validate() }
    #expect(fault?.path == "record")
    input.record = [:]
    try input.validate()
  }

  @Test func unknownMembersOfAUnionSurviveBeingWrittenBack() throws {
    let json = """
      {"actor":"did:web:a.test","relationships":[{"$type":"com.example.other#row","deep":{"a":[1]}},\
      {"$type":"app.bsky.graph.defs#relationship","did":"did:web:b.test"}]}
      """
    let read = try App.Bsky.Graph.GetRelationships.Output(payload: Array(json.utf8))
    #expect(String(decoding: try JSONCoding.encode(read), as: UTF8.self) == json)
  }

  @Test func aServersAdditionsToAViewAreNoFault() throws {
    let json = #"{"did":"did:web:a.test","handle":"a.test","later":{"x":1},"viewer":null}"#
    let profile = try App.Bsky.Actor.GetProfile.Output(payload: Array(json.utf8))
    #expect(profile.handle == Handle("a.test"))
    #expect(profile.viewer == nil)
  }

  @Test func methodsNameTheTypesOfTheirBodies() {
    #expect(App.Bsky.Graph.GetRelationships.outputEncoding == "application/json")
    #expect(Com.Atproto.Server.DeleteSession.inputEncoding == nil)
    #expect(Com.Atproto.Server.DeleteSession.outputEncoding == nil)
  }

  @Test func openEnumsKeepOtherValues() throws {
    let json = #"["app.bsky.graph.defs#modlist","com.example#other"]"#
    let purposes = try JSONCoding.decode([App.Bsky.Graph.Defs.ListPurpose].self, from: Array(json.utf8))
    #expect(purposes == [.modlist, App.Bsky.Graph.Defs.ListPurpose(rawValue: "com.example#other")])
    #expect(String(decoding: try JSONCoding.encode(purposes), as: UTF8.self) == json)
  }

  @Test func checksAReport() throws {
    let input = Com.Atproto.Moderation.CreateReport.Input(
      reasonType: .reasonSpam, reason: String(repeating: "x", count: 20_001),
      subject: .repoRef(Com.Atproto.Admin.Defs.RepoRef(did: try DID(parsing: "did:web:a.test"))))
    expectInvalid("reason") {
      try input.validate()
    }
  }
}
